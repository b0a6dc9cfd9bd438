import {
  type Budget,
  type ChartTheme,
  type Credits,
  drawChart,
  type Grouping,
  type Period,
  type UsageLine,
  type UsageScope,
} from '../../credits/index.ts';
import { beginningOf, plainName } from '../../lib/text.ts';
import {
  type Address,
  type Caller,
  fileOf,
  type Message,
  type OutgoingFile,
  type PlatformAdapter,
  type PlatformAdapters,
  undefinedIfFailed,
} from '../../port/index.ts';
import { creditsInWords, type Words } from '../../words/index.ts';
import { budgetLines } from '../policy/limits.ts';
import type { ChannelFeedback, Feedback } from '../results/feedback.ts';

/** The most bars of a chart and lines of a list; the rest is added up in the last one, or in the total. */
const longest = 12;
/** The most characters of a name in a line. */
const maxName = 60;

interface UsageReportRequest {
  readonly scope: UsageScope;
  readonly period: Period;
  readonly grouping: Grouping;
  readonly whose: 'own' | 'all';
  readonly theme: ChartTheme;
  readonly caller: Caller;
  /** The budgets the caller's calls count against. */
  readonly budgets: readonly Budget[];
}

/** The credits used, as text and as a chart. */
export async function usageReport(
  order: UsageReportRequest,
  { credits, adapter }: { readonly credits: Credits; readonly adapter: PlatformAdapter | undefined },
  say: Words,
): Promise<Message> {
  const { usage } = say.spending;
  const title = titleOf(order, say);
  const used = await credits.usage(order.scope, order.grouping);
  const standings = await credits.standings(order.caller, order.budgets);
  const budgets = budgetLines(standings, say, order.caller);
  if (used.length === 0) return { text: [`**${title}**`, usage.nothing, ...budgets].join('\n') };
  const lines = await named(shortened(used, say), order, adapter, say);
  const text = [`**${title}**`, ...listed(lines, say), '', ...sums(used, say), ...budgets].join('\n');
  return { text, files: await chartOf(lines, title, order, say) };
}

function titleOf(
  { period, grouping, whose }: UsageReportRequest,
  { spending: { usage }, locale }: Words,
): string {
  const [comma, open, close] = locale === 'zh-CN' ? ['，', '（', '）'] : [', ', ' (', ')'];
  return `${usage.titles[period]}${comma}${usage.by[grouping]}${open}${usage.whose[whose]}${close}`;
}

function shortened(used: readonly UsageLine[], { spending: { usage } }: Words): readonly UsageLine[] {
  if (used.length <= longest) return used;
  const rest = used.slice(longest - 1);
  return [...used.slice(0, longest - 1), { ...together(rest), key: '', name: usage.others(rest.length) }];
}

/** What several lines come to. */
export function together(lines: readonly UsageLine[]): Omit<UsageLine, 'key' | 'name'> {
  const sum = (of: (line: UsageLine) => number) => lines.reduce((total, line) => total + of(line), 0);
  return {
    calls: sum(({ calls }) => calls),
    low: sum(({ low }) => low),
    high: sum(({ high }) => high),
    uncertain: sum(({ uncertain }) => uncertain),
    underWay: sum(({ underWay }) => underWay),
  };
}

/** Names instead of keys: kinds in the reader's language, channels as {@link channelNames} has them. */
async function named(
  lines: readonly UsageLine[],
  { grouping, caller }: UsageReportRequest,
  adapter: PlatformAdapter | undefined,
  say: Words,
): Promise<readonly UsageLine[]> {
  const kinds: Readonly<Record<string, string>> = say.spending.usage.kinds;
  const keys = lines.map(({ key }) => key).filter(Boolean);
  const channels = grouping === 'channel' ? await channelNames(keys, caller, adapter, say) : undefined;
  const nameOf = ({ key, name }: UsageLine) => {
    if (key === '') return name || say.spending.usage.deleted;
    if (grouping === 'kind') return kinds[key];
    return grouping === 'user' ? nameInLine(name) : channels?.get(key);
  };
  return lines.map((line) => ({ ...line, name: nameOf(line) || line.key }));
}

/** Channels by name if the platform tells it, or as the reader's own direct messages; else by their id. */
async function channelNames(
  channels: readonly string[],
  { address, requester }: Caller,
  adapter: PlatformAdapter | undefined,
  { spending: { usage } }: Words,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const name = async (one: string) =>
    void names.set(one, await channelNameOf(one, address, () => adapter, requester.id));
  await Promise.all(channels.map(name));
  const isNameless = (one: string) => names.get(one) === one;
  if (!adapter || !channels.some(isNameless)) return names;
  const own = await undefinedIfFailed(adapter.directMessages(address.workspace, requester.id, address));
  return own && isNameless(own.channel) ? names.set(own.channel, usage.direct) : names;
}

function listed(lines: readonly UsageLine[], { spending: { usage }, locale }: Words): string[] {
  return lines.map((line, index) =>
    usage.line(index + 1, line.name, creditsInWords(line, locale), line.calls),
  );
}

function sums(used: readonly UsageLine[], { spending: { usage }, locale }: Words): string[] {
  const all = together(used);
  return [
    usage.total(creditsInWords(all, locale), all.calls),
    ...(all.high > all.low ? [`-# ${usage.range}`] : []),
    ...(all.uncertain > 0 ? [`-# ${usage.uncertain(all.uncertain)}`] : []),
    ...(all.underWay > 0 ? [`-# ${usage.underWay(all.underWay)}`] : []),
  ];
}

async function chartOf(
  bars: readonly UsageLine[],
  title: string,
  { theme }: UsageReportRequest,
  { spending: { usage }, locale }: Words,
): Promise<readonly OutgoingFile[]> {
  const { png } = await drawChart({
    title,
    legend: usage.legend,
    bars: bars.map(({ name, low, high }) => ({ label: name, low, high })),
    theme,
    locale,
  });
  if (!png) return [];
  const description = usage.chart(title);
  return [fileOf(png, { name: 'usage.png', contentType: 'image/png', kind: 'image', description })];
}

interface FeedbackReportRequest {
  readonly scope: UsageScope;
  readonly period: Period;
  readonly whose: 'own' | 'all';
  readonly caller: Caller;
}

/** How people voted on answers, channel by channel. */
export async function feedbackReport(
  { scope, period, whose, caller }: FeedbackReportRequest,
  { feedback, adapter }: { readonly feedback: Feedback; readonly adapter: PlatformAdapter | undefined },
  words: Words,
): Promise<Message> {
  const { feedback: say, spending, locale } = words;
  const [open, close] = locale === 'zh-CN' ? ['（', '）'] : [' (', ')'];
  const title = `**${say.titles[period]}${open}${spending.usage.whose[whose]}${close}**`;
  const votes = await feedback.byChannel(scope);
  if (votes.length === 0) return { text: `${title}\n${say.nothing[whose]}` };
  const shown = votes.slice(0, longest);
  const channels = shown.map(({ channel }) => channel);
  const names = await channelNames(channels, caller, adapter, words);
  const lines = shown.map(({ channel, good, bad }, index) =>
    say.line(index + 1, names.get(channel) ?? channel, good, bad),
  );
  const sum = (of: (channel: ChannelFeedback) => number) => votes.reduce((all, one) => all + of(one), 0);
  const total = say.total(
    sum(({ good }) => good),
    sum(({ bad }) => bad),
  );
  return { text: [title, ...lines, '', total].join('\n') };
}

/** A channel's name without Markdown, where its platform tells it to a reader, or to everybody. */
export async function channelNameOf(
  channel: string,
  { platform, workspace }: Address,
  adapters: PlatformAdapters,
  reader?: string,
): Promise<string> {
  const name = await adapters(platform)
    ?.channelName({ platform, workspace, channel }, reader)
    .catch(() => undefined);
  return nameInLine(name ?? '') || channel;
}

/** A name, or its beginning, without Markdown. */
export function nameInLine(name: string): string {
  return beginningOf(plainName(name), maxName);
}
