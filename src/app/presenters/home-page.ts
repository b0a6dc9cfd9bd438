import { beginningOf, type Credits, type Period } from '../../credits/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { titleOf } from '../../lib/text.ts';
import { personalNames, type PlaceSettings } from '../../place-settings/index.ts';
import {
  type Caller,
  type CommandAbout,
  type HomePage,
  type HomeSection,
  paidCommandNames,
  type PlatformAdapters,
} from '../../port/index.ts';
import type { Renders, RenderUnderWay } from '../../renders/index.ts';
import { homeWords } from '../../words/home.ts';
import { creditsInWords, spanInWords, words } from '../../words/index.ts';
import { optionLabel } from '../../words/option-labels.ts';
import { jobButton } from '../endings.ts';
import { promptOf } from '../job-context.ts';
import { budgetLines, type LimitsFor } from '../policy/limits.ts';
import { settingInWords } from './settings-pages.ts';
import { together } from './usage-report.ts';

/** The most renders that are listed. */
const mostRenders = 5;

interface HomePageDependencies {
  readonly commands: readonly Pick<CommandAbout, 'name' | 'description' | 'textOption'>[];
  readonly renders: Pick<Renders, 'underWayOf'>;
  readonly credits: Pick<Credits, 'usage' | 'standings'>;
  readonly placeSettings: PlaceSettings;
  readonly limitsFor: LimitsFor;
  readonly adapters: PlatformAdapters;
  readonly clock: Clock;
}

/** A person’s own page: what the bot can do, their renders, their credits, their defaults, and for administrators more. */
export function homePage(dependencies: HomePageDependencies): HomePage {
  return async (caller) => {
    const [renders, usage, defaults] = await Promise.all([
      rendersOf(caller, dependencies),
      usageOf(caller, dependencies),
      defaultsOf(caller, dependencies),
    ]);
    return [
      talents(caller, dependencies),
      renders,
      usage,
      defaults,
      ...(caller.requester.administrator ? [administration(caller)] : []),
    ];
  };
}

function talents(
  { requester: { locale, outsider } }: Caller,
  { commands }: HomePageDependencies,
): HomeSection {
  const say = homeWords[locale];
  const paid = commands.filter(({ name }) => paidCommandNames.some((one) => one === name));
  const lines = paid.map(({ name, description }) => say.command(name, description[locale]));
  return {
    title: say.talents,
    text: [say.machine, say.talk, ...lines, ...(outsider ? ['', say.guests] : [])].join('\n'),
    buttons: [{ id: 'help', label: say.help, call: { command: 'help', options: {} } }],
  };
}

async function rendersOf(caller: Caller, { renders, adapters }: HomePageDependencies): Promise<HomeSection> {
  const { locale } = caller.requester;
  const say = homeWords[locale];
  const underWay = await renders.underWayOf(caller, mostRenders);
  const adapter = adapters(caller.address.platform);
  const line = async ({ kind, job, elapsed, message }: RenderUnderWay) => {
    const about = titleOf(job ? promptOf(job) : '', 80);
    const link = await adapter?.linkTo(message).catch(() => undefined);
    const shown = say.render(kind, about, spanInWords(elapsed, locale));
    return link === undefined ? shown : `${shown} · [${say.show}](${link})`;
  };
  const lines = await Promise.all(underWay.map(line));
  const queued = underWay.flatMap(({ job, isQueued }) => (job && isQueued ? [job] : []));
  return {
    title: say.renders,
    text: lines.length > 0 ? lines.join('\n') : say.noRenders,
    buttons: queued.map((job) => jobButton(job, 'cancel', say.cancel(titleOf(promptOf(job), 40)))),
  };
}

async function usageOf(
  caller: Caller,
  { credits, placeSettings, limitsFor, clock }: HomePageDependencies,
): Promise<HomeSection> {
  const { address, requester } = caller;
  const say = words(requester.locale, address.platform);
  const home = homeWords[requester.locale];
  const settings = await placeSettings.at(address);
  const used = async (period: Period) => {
    const since = beginningOf(period, clock.now(), requester.timeZone ?? settings.values.time_zone);
    const scope = { platform: address.platform, person: requester.id, since };
    return creditsInWords(together(await credits.usage(scope, 'kind')), requester.locale);
  };
  const [today, week, standings] = await Promise.all([
    used('today'),
    used('week'),
    credits.standings(caller, limitsFor(requester, settings).budgets),
  ]);
  return {
    title: home.usage,
    text: [home.used(today, week), ...budgetLines(standings, say, caller)].join('\n'),
    buttons: [{ id: 'usage', label: home.details, call: { command: 'usage', options: {} } }],
  };
}

async function defaultsOf(
  { address, requester: { id, locale } }: Caller,
  { placeSettings }: HomePageDependencies,
): Promise<HomeSection> {
  const home = homeWords[locale];
  const say = words(locale);
  const { personal } = await placeSettings.forPerson(address, id);
  const lines = personalNames.flatMap((name) => {
    const value = personal[name];
    if (value === undefined) return [];
    return [say.me.chosen(optionLabel(name, locale), settingInWords(name, value, say))];
  });
  return {
    title: home.mine,
    text: [home.mineAbout, ...lines].join('\n'),
    buttons: [{ id: 'me', label: home.change, call: { command: 'me', options: {} } }],
  };
}

function administration({ requester: { locale } }: Caller): HomeSection {
  const say = homeWords[locale];
  const call = { command: 'settings', options: { scope: 'workspace' } };
  return {
    title: say.administration,
    text: say.administrationAbout,
    buttons: [{ id: 'settings', label: say.settings, call }],
  };
}
