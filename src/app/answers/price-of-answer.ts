import type { Conversations } from '../../conversation/index.ts';
import type { Given } from '../../engine/index.ts';
import type { PlatformAdapters } from '../../port/index.ts';
import { chatModels } from '../../service-rules/models.ts';
import type { CreditRange } from '../../service-rules/prices.ts';
import { placeOfAnswer } from './answer-thread.ts';
import { beforeAnswer } from './metered-calls.ts';
import { type AskValues, questionOf } from './write-answer.ts';

/**
 * What an answer costs if its turn begins now, up to a first length: all that its request holds counts, what was said
 * before too, as it's reserved then.
 */
export async function priceOfAnswer(
  values: AskValues,
  { address, requester, settings }: Given,
  dependencies: { readonly conversations: Conversations; readonly adapters: PlatformAdapters },
): Promise<CreditRange> {
  const { model = chatModels[0] } = values;
  const job = { id: '', address, requester, options: { ...values } };
  const { conversation } = await placeOfAnswer(job, settings, dependencies);
  const { persona } = settings.values;
  return beforeAnswer(
    model,
    await dependencies.conversations.preview(conversation, questionOf(job), persona),
  );
}
