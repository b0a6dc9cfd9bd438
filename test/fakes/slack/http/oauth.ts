import type { Installation, Json, User, Workspace } from '../records.ts';
import type { World } from '../world.ts';
import type { Arguments } from './arguments.ts';
import { Failure } from './failure.ts';

interface Grant {
  readonly workspace: Workspace;
  readonly user: User;
  readonly scopes: readonly string[];
  readonly redirectUri: string | undefined;
  readonly organization: boolean;
  used: boolean;
}

/** The app's own secrets, as its settings page shows them. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly signingSecret: string;
  readonly appToken: string;
}

/** Installing the app in a workspace or an organization by OAuth. */
export class Oauth {
  readonly #world: World;
  readonly #credentials: Credentials;
  readonly #grants = new Map<string, Grant>();

  constructor(world: World, credentials: Credentials) {
    this.#world = world;
    this.#credentials = credentials;
  }

  /**
   * A person follows the install link and allows it: the address their browser is sent back to. Refuses
   * a link with a wrong client, scopes that the manifest does not name, or an address that is not on it.
   */
  approve(link: string, user: User, organization = false): string {
    const url = new URL(link);
    const given = url.searchParams;
    if (url.pathname !== '/oauth/v2/authorize') throw new Failure('oauth_authorization_url_mismatch');
    if (given.get('client_id') !== this.#credentials.clientId) throw new Failure('invalid_client_id');
    const scopes = (given.get('scope') ?? '').split(',').filter(Boolean);
    if (scopes.length === 0) throw new Failure('no_scopes');
    const allowed = this.#world.settings.scopes;
    if (scopes.some((scope) => !allowed.includes(scope))) throw new Failure('invalid_scope');
    const redirectUri = given.get('redirect_uri') ?? undefined;
    const [firstRedirect] = this.#world.settings.redirectUrls;
    const target = redirectUri ?? firstRedirect;
    if (!target || !this.#world.settings.redirectUrls.some((one) => target.startsWith(one))) {
      throw new Failure('bad_redirect_uri');
    }
    if (organization && !this.#world.settings.orgDeploy) throw new Failure('org_deploy_not_enabled');
    const workspace = this.#world.workspace(user.teamId);
    const code = this.#world.secret('code-');
    this.#grants.set(code, { workspace, user, scopes, redirectUri, organization, used: false });
    const back = new URL(target);
    back.searchParams.set('code', code);
    back.searchParams.set('state', given.get('state') ?? '');
    return back.href;
  }

  /** `oauth.v2.access`, with the client's id and secret as arguments or as basic authentication. */
  access(args: Arguments, authorization: string | undefined): Json {
    const [id, secret] = basic(authorization) ?? [args.text('client_id'), args.text('client_secret')];
    if (id !== this.#credentials.clientId) throw new Failure('invalid_client_id');
    if (secret !== this.#credentials.clientSecret) throw new Failure('bad_client_secret');
    const grant = this.#grants.get(args.required('code'));
    if (!grant || grant.used) throw new Failure('invalid_code');
    if (grant.redirectUri !== args.text('redirect_uri')) throw new Failure('bad_redirect_uri');
    grant.used = true;
    const { workspace, organization } = grant;
    const target = organization ? { enterpriseId: workspace.enterpriseId ?? '' } : { teamId: workspace.id };
    const installed = this.#replace(this.#world.install(target, grant.scopes));
    return {
      app_id: this.#world.appId,
      authed_user: { id: grant.user.id },
      scope: [...installed.scopes].join(','),
      token_type: 'bot',
      access_token: installed.token,
      bot_user_id: workspace.botUser,
      team: organization ? null : { id: workspace.id, name: workspace.name },
      enterprise: workspace.enterpriseId ? { id: workspace.enterpriseId, name: 'Organization' } : null,
      is_enterprise_install: organization,
    };
  }

  /** A new installation in the same place ends the older one's token. */
  #replace(installed: Installation): Installation {
    for (const other of this.#world.installations.values()) {
      const same = other.teamId === installed.teamId && other.enterpriseId === installed.enterpriseId;
      if (other !== installed && same) other.state = 'token_revoked';
    }
    return installed;
  }
}

function basic(header: string | undefined): [string, string] | undefined {
  if (!header?.startsWith('Basic ')) return undefined;
  const [id = '', secret = ''] = Buffer.from(header.slice(6), 'base64').toString().split(':');
  return [id, secret];
}
