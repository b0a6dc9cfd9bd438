import type { LiveAnswers, MessageAddress } from '../../port/index.ts';

/** Dependencies of taking back what has begun. */
export interface TakeBackDependencies {
  readonly answers: Pick<LiveAnswers, 'forget'>;
  /** Takes messages away, now or later. */
  readonly removals: { remove(messages: readonly MessageAddress[]): Promise<void> };
}

/** Takes away messages of an answer that isn't to be shown. */
export async function removeMessages(
  messages: readonly MessageAddress[],
  { answers, removals }: TakeBackDependencies,
): Promise<void> {
  // Otherwise their going would look as if somebody had deleted the answer.
  for (const { parts = [], ...address } of messages)
    for (const message of [...parts, address.message]) await answers.forget({ ...address, message });
  await removals.remove(messages.toReversed());
}
