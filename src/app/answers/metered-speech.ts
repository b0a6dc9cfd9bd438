import {
  type Credits,
  clipSeconds,
  exactly,
  type PaidCall,
  speechCredits,
  speechSeconds,
} from '../../credits/index.ts';
import type { CallOptions, ServiceClient, SpeechRequest, SpeechResult } from '../../service/index.ts';
import { speechModel } from '../../service-rules/models.ts';
import type { CreditRange } from '../../service-rules/prices.ts';

/** A clip, and how long it is in seconds. */
export interface MeteredClip extends SpeechResult {
  readonly seconds: number;
}

/** What is spoken, and what it counts against. */
export interface SpeechOrder extends Pick<PaidCall, 'job' | 'budgets' | 'conversationId'> {
  readonly request: SpeechRequest;
}

/** What speaking a text may cost: its length isn't known before. */
export function speechPrice({
  input,
  speed,
  language,
}: Pick<SpeechRequest, 'input' | 'speed' | 'language'>): CreditRange {
  const { low, high } = speechSeconds(input, {
    ...(speed !== undefined && { speed }),
    ...(language !== undefined && { language }),
  });
  return { low: speechCredits(low), high: speechCredits(high) };
}

/** Speaks a text, charged by the clip's real length. */
export async function meteredSpeech(
  { service, credits }: { readonly service: Pick<ServiceClient, 'speech'>; readonly credits: Credits },
  order: SpeechOrder,
  options: CallOptions = {},
): Promise<MeteredClip> {
  const { request, ...paidBy } = order;
  const estimate = speechPrice(request);
  const call = { ...paidBy, kind: 'speech', model: speechModel, quantity: {}, estimate } as const;
  return credits.charge(call, async (sending) => {
    const clip = await service.speech.create(request, {
      ...options,
      ...sending,
      beforeSending: async (signal) => {
        await options.beforeSending?.(signal);
        await sending.beforeSending(signal);
      },
      conversationId: order.conversationId,
    });
    const known = await clipSeconds(clip.bytes);
    const seconds = known ?? speechSeconds(request.input).high;
    const spending = {
      credits: known === undefined ? estimate : exactly(speechCredits(known)),
      quantity: { seconds },
      estimated: known === undefined,
      requestId: clip.requestId,
    };
    return { result: { ...clip, seconds }, spending };
  });
}
