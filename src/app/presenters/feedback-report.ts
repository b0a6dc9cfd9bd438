import type { Period, UsageScope } from '../../credits/index.ts';
import type { Address, Message, PlatformAdapters } from '../../port/index.ts';
import type { Words } from '../../words/index.ts';
import type { ChannelFeedback, Feedback } from '../answers/feedback.ts';
import { plainName } from './usage-report.ts';

/** The most lines of a list; the rest is in the total and in the CSV file. */
const longest = 12;

export interface FeedbackReportRequest {
  readonly scope: UsageScope;
  readonly period: Period;
  readonly whose: 'own' | 'all';
  readonly address: Address;
}

/** How people voted on answers, channel by channel. */
export async function feedbackReport(
  { scope, period, whose, address }: FeedbackReportRequest,
  { feedback, adapters }: { readonly feedback: Feedback; readonly adapters: PlatformAdapters },
  { feedback: say, spending: { usage }, locale }: Words,
): Promise<Message> {
  const [open, close] = locale === 'zh-CN' ? ['（', '）'] : [' (', ')'];
  const title = `**${say.titles[period]}${open}${usage.whose[whose]}${close}**`;
  const votes = await feedback.byChannel(scope);
  if (votes.length === 0) return { text: `${title}\n${say.nothing[whose]}` };
  const lines = votes.slice(0, longest).map(async ({ channel, good, bad }, index) => {
    const name = await nameOf(channel, address, adapters);
    return say.line(index + 1, name, good, bad);
  });
  const sum = (of: (channel: ChannelFeedback) => number) => votes.reduce((all, one) => all + of(one), 0);
  const total = say.total(
    sum(({ good }) => good),
    sum(({ bad }) => bad),
  );
  return { text: [title, ...(await Promise.all(lines)), '', total].join('\n') };
}

/** A channel's name without Markdown, where its platform tells it. */
async function nameOf(
  channel: string,
  { platform, workspace }: Address,
  adapters: PlatformAdapters,
): Promise<string> {
  const name = await adapters(platform)
    ?.channelName({ platform, workspace, channel })
    .catch(() => undefined);
  return plainName(name ?? '') || channel;
}
