import { bringNotice } from '../engine/index.ts';
import type { Landed, PlatformError } from '../port/index.ts';
import type { LateDelivery } from './late-delivery.ts';

/** A delivery that's over, for people who look for it where it was asked for. */
export interface Ended extends Pick<LateDelivery, 'job' | 'pending' | 'say' | 'adapter' | 'whose'> {
  /** Undefined if it could be posted nowhere. */
  readonly landed: Landed | undefined;
  /** Moderation blocked its words. */
  readonly isBlocked: boolean;
  /** The first refusal. */
  readonly refusal: PlatformError | undefined;
  /** Resolves once the job's question, which was answered, is closed: what's told here may come into its message. */
  readonly closed: () => Promise<void>;
  readonly log: { warn(data: object, message: string): void };
}

/** Tells people where it was asked for that it isn't there, once. A failure is only logged. */
export async function tellWhyMissing(ended: Ended): Promise<void> {
  const { job, pending, say, adapter, whose, landed, isBlocked, closed, log } = ended;
  if (landed && !isBlocked) return;
  const text = isBlocked ? say.blockedHere(landed?.door.name === 'direct') : await whyNowhere(ended);
  const { shown: messages = [], shownText: lastText = '' } = pending;
  const answer = messages.length > 0 ? ({ messages, lastText, kind: 'growing' } as const) : undefined;
  const message = { text, ...(whose && { whose }) };
  try {
    await closed();
    const found = adapter();
    const name = isBlocked ? 'blocked' : 'nowhere';
    if (found) await bringNotice(found, job, { message, name, answer });
  } catch (error) {
    log.warn({ job: job.id, error }, "couldn't post why an answer is missing");
  }
}

/** Why it couldn't be posted anywhere, going by the channel's first refusal. */
async function whyNowhere({ job, pending, say, adapter, refusal }: Ended): Promise<string> {
  const [file] = pending.message.files ?? [];
  if (!file || refusal?.kind !== 'too-large') return say.postedNowhere;
  const limit = await adapter()
    ?.maxFileBytes(job.address, file.kind)
    .catch(() => undefined);
  // A channel may accept less than it advertises.
  return say.tooLargeAnywhere(file.size, limit !== undefined && limit < file.size ? limit : undefined);
}

/** Ends the platform's "still working" indicator, where only that can be replaced: people have the answer already. */
export async function endSign({
  job,
  pending,
  say,
  adapter,
  landed,
  isBlocked,
  closed,
}: Ended): Promise<void> {
  const { acknowledgement } = job;
  if (!acknowledgement || !landed || isBlocked || pending.shown?.length) return;
  const { at, door, why } = landed;
  // What the command left has taken the place of the sign itself.
  const isBelow = door.name === 'here' && at.message !== '';
  if (!isBelow && door.name !== 'direct') return;
  const text = isBelow ? say.postedBelow : say.postedDirectly(why);
  const settled = async () => {
    await closed();
    await adapter()?.answerInterrupted(acknowledgement, { text });
  };
  await settled().catch(() => {});
}
