import { createHmac, randomBytes } from 'node:crypto';
import type { webApi } from '@slack/bolt';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { LogThrottle, sameSecret } from '../../../http/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type Locale, localeOf, type Places } from '../../../port/index.ts';
import { isAnswerLost } from '../api/errors.ts';
import type { Log } from '../api/log.ts';
import type { Answer, SlackApi } from '../api/slack-api.ts';
import { type SlackWords, slackWords } from '../words.ts';
import type { Installation, Installations } from './installations.ts';
import { botScopes, paths } from './manifest.ts';
import type { WorkspaceAccess } from './workspace-access.ts';

/** How long an installation may take, in milliseconds. */
const stateLifetime = 10 * 60_000;
/** How far the clocks of two machines may be apart, in milliseconds: one process begins it, and another ends it. */
const clockSlack = 60_000;
const cookie = 'troupe_slack_install';

interface OauthDependencies {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly stateSecret: string;
  readonly api: Pick<SlackApi, 'exchange' | 'whoAmI' | 'apiUrl'>;
  readonly installations: Installations;
  readonly access: Pick<WorkspaceAccess, 'allows'>;
  readonly places: Pick<Places, 'joined'>;
  /** Tells what comes for the first time in any process. */
  readonly arrivals: { readonly isFirst: (id: string) => Promise<boolean> };
  readonly clock: Clock;
  readonly log: Log;
}

type Fault = keyof SlackWords['installFaults'];

/** Installs the app in a workspace or an organization (OAuth 2, version 2). */
export class Oauth {
  readonly #dependencies: OauthDependencies;
  /** Any browser can return with a code that Slack doesn’t know. */
  readonly #failures: LogThrottle;

  constructor(dependencies: OauthDependencies) {
    this.#dependencies = dependencies;
    this.#failures = new LogThrottle(dependencies.clock);
  }

  /** Sends the browser to Slack, with a state that only this browser can return with. */
  readonly begin = (context: Context): Response => {
    const state = this.#newState();
    // The authorization page is on the host of the Web API.
    const target = new URL('/oauth/v2/authorize', this.#dependencies.api.apiUrl);
    target.searchParams.set('client_id', this.#dependencies.clientId);
    target.searchParams.set('scope', Object.keys(botScopes).join(','));
    target.searchParams.set('state', state);
    setCookie(context, cookie, state, { ...cookieRules(context), maxAge: stateLifetime / 1_000 });
    context.header('cache-control', 'no-store');
    return context.redirect(target.href);
  };

  /** Receives the browser from Slack: checks the state, gets the token, saves the installation. */
  readonly finish = async (context: Context): Promise<Response> => {
    const locale = localeOf(context.req.header('accept-language'));
    const { state = '', error: refused, code = '' } = context.req.query();
    const fault = await this.#stateFault(state, getCookie(context, cookie) ?? '');
    if (fault) return failed(context, locale, fault);
    if (refused !== undefined) return failed(context, locale, 'cancelled');
    try {
      return await this.#exchange(context, locale, code);
    } catch (error) {
      this.#failures.note((times) =>
        this.#dependencies.log.warn({ error: String(error), times }, 'an installation in Slack failed'),
      );
      return failed(context, locale, isAnswerLost(error) ? 'unreachable' : 'code');
    }
  };

  async #exchange(context: Context, locale: Locale, code: string): Promise<Response> {
    const { access, api, clientId, clientSecret, installations, places, log } = this.#dependencies;
    const answer = await api.exchange({ client_id: clientId, client_secret: clientSecret, code });
    // Expiring tokens would have to be renewed; the manifest doesn’t ask for them.
    if (answer.refresh_token !== undefined) return failed(context, locale, 'rotation');
    const token = String(answer.access_token ?? '');
    const installation = this.#installationOf(answer, token, await api.whoAmI(token));
    const { team, enterprise } = installation;
    const { id, name } = team ?? enterprise ?? { id: '', name: '' };
    const names = { team: team?.id, enterprise: enterprise?.id };
    if (!access.allows(names)) {
      this.#failures.note((times) =>
        log.info({ ...names, times }, 'not installed: ALLOWED_TEAMS does not name it'),
      );
      return failed(context, locale, 'notAllowed');
    }
    await installations.save(installation);
    await places.joined({ platform: 'slack', workspace: id });
    log.info(names, 'installed in Slack');
    const { title, text, link: label } = slackWords(locale).installed;
    // Slack’s own URL of a workspace or an organization; it opens the Slack app if there is one.
    const link = { label, href: `https://app.slack.com/client/${id}` };
    return page(context, 200, { locale, title: title(name), text, link });
  }

  #installationOf(answer: Answer, token: string, me: Answer): Installation {
    const { team, enterprise, authed_user: user, scope } = answer as Partial<webApi.OauthV2AccessResponse>;
    return {
      token,
      botUser: String(answer.bot_user_id ?? me.user_id),
      ...(typeof me.bot_id === 'string' && { botId: me.bot_id }),
      ...(typeof me.user === 'string' && { botName: me.user }),
      ...(team?.id !== undefined &&
        answer.is_enterprise_install !== true && { team: { id: team.id, name: team.name ?? team.id } }),
      ...(enterprise?.id !== undefined && {
        enterprise: { id: enterprise.id, name: enterprise.name ?? enterprise.id },
      }),
      scopes: (scope ?? '').split(',').filter(Boolean),
      installedBy: user?.id ?? '',
      installedAt: this.#dependencies.clock.now(),
    };
  }

  #newState(): string {
    const body = `${this.#dependencies.clock.now().toString(36)}.${randomBytes(16).toString('base64url')}`;
    return `${body}.${this.#sign(body)}`;
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#dependencies.stateSecret).update(body).digest('base64url');
  }

  /** A valid state is ours, recent, from this browser, and used once. */
  async #stateFault(state: string, own: string): Promise<Fault | undefined> {
    const [time = '', nonce = '', signature = ''] = state.split('.');
    const age = this.#dependencies.clock.now() - Number.parseInt(time, 36);
    const isOurs = sameSecret(signature, this.#sign(`${time}.${nonce}`)) && sameSecret(own, state);
    const isRecent = age >= -clockSlack && age <= stateLifetime;
    return isOurs && isRecent && (await this.#dependencies.arrivals.isFirst(`install ${nonce}`))
      ? undefined
      : 'state';
  }
}

function failed(context: Context, locale: Locale, fault: Fault): Response | Promise<Response> {
  const words = slackWords(locale);
  const { title, link } = words.installFailed;
  const text = words.installFaults[fault];
  return page(context, 400, { locale, title, text, link: { label: link, href: paths.install } });
}

function cookieRules({ req }: Context) {
  const secure = new URL(req.url).protocol === 'https:' || req.header('x-forwarded-proto') === 'https';
  return { path: paths.install, httpOnly: true, sameSite: 'Lax', secure } as const;
}

/** The page that a browser ends on after an installation. */
interface InstallPage {
  readonly locale: Locale;
  readonly title: string;
  readonly text: string;
  /** Where to go from here. */
  readonly link: { readonly label: string; readonly href: string };
}

const style =
  ':root{color-scheme:light dark}body{font:1.05rem/1.6 system-ui,sans-serif;max-width:32rem;margin:18vh auto 0;padding:0 1.5rem}h1{font-size:1.5rem;line-height:1.3}a{display:inline-block;margin-top:1rem;padding:.6rem 1.1rem;border-radius:.5rem;background:#4a154b;color:#fff;text-decoration:none}a:focus-visible{outline:3px solid #1d9bd1;outline-offset:2px}';

/** Headers that allow the page nothing but to be read. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

function page(
  context: Context,
  status: 200 | 400,
  { locale, title, text, link }: InstallPage,
): Response | Promise<Response> {
  deleteCookie(context, cookie, cookieRules(context));
  const shown = html`<!doctype html><html lang="${locale}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · troupe</title><style>${style}</style>
<main><h1>${title}</h1><p>${text}</p><a href="${link.href}">${link.label}</a></main></html>`;
  return context.html(shown, status, pageHeaders);
}
