import type { ChatMessage } from '../conversation/index.ts';
import {
  BudgetExceededError,
  chatCredits,
  chatCreditsEstimated,
  clipSeconds,
  type Credits,
  exactly,
  type Limits,
  type PaidCall,
  speechCredits,
  speechSeconds,
  type Spending,
  tokensFor,
} from '../credits/index.ts';
import { estimateTokens, TokenCount } from '../lib/text.ts';
import { markedBytes } from '../media/index.ts';
import type { Job } from '../port/index.ts';
import { type ChatModel, speechModel } from '../service-rules/models.ts';
import type { CreditRange } from '../service-rules/prices.ts';
import {
  BadResponseError,
  type CallOptions,
  CancelledError,
  type ChatEvent,
  type ChatUsage,
  type ServiceClient,
  ServiceError,
  type SpeechRequest,
  type SpeechResult,
} from '../service/index.ts';
import { PriceRisenError } from './faults/explain.ts';

/** Tokens that credits are reserved for before an answer's length is known; doubled whenever it grows longer, as far as budgets allow. */
const firstRoom = 1_000;
/** How many tokens ahead more is reserved at least, so that what arrives at once is covered. */
const leastAhead = 100;
/** Role and separators of a message, about. */
const tokensPerMessage = 4;

/** What an answer is requested with, and what it counts against. */
interface AnswerRequest extends Limits {
  readonly job: Job;
  readonly model: ChatModel;
  readonly messages: readonly ChatMessage[];
  readonly conversationId: string;
  /** The most credits, before its length is known, for which its person needn't be asked. */
  readonly mostUnasked: number;
}

/**
 * A chat answer on the ledger: credits are reserved before the request, more while it grows, and settled by the
 * service's own count if it gives one. Leaving the loop settles what may have been written.
 * @throws {PriceRisenError} before the request, or {BudgetExceededError} then or when the answer outgrows a budget.
 */
export async function* meteredAnswer(
  { service, credits }: { readonly service: Pick<ServiceClient, 'chat'>; readonly credits: Credits },
  { model, messages, mostUnasked, ...call }: AnswerRequest,
  options: CallOptions,
): AsyncGenerator<ChatEvent, void, undefined> {
  const prompt = promptTokens(messages);
  const price = chatCreditsEstimated(model, prompt, firstRoom);
  if (price.high > mostUnasked) throw new PriceRisenError(price);
  const output = new TokenCount();
  let room = firstRoom;
  let ahead = leastAhead;
  const upTo = (tokens: number): CreditRange => ({
    low: chatCreditsEstimated(model, prompt, output.tokens).low,
    high: chatCreditsEstimated(model, prompt, tokens).high,
  });
  let counted: ChatUsage | undefined;
  const soFar = (tokens = output.tokens) =>
    spentSoFar(model, { inputTokens: prompt, outputTokens: tokens }, counted);
  /** The same of one that breaks off: the service may have written so many tokens by then. */
  const brokenOff = (tokens: number): Spending => {
    const { credits, ...arrived } = soFar();
    return { ...arrived, credits: { low: credits.low, high: soFar(tokens).credits.high } };
  };
  const quantity = { inputTokens: prompt };
  const reservation = await credits.reserve({
    ...call,
    kind: 'chat',
    model,
    quantity,
    estimate: upTo(room),
  });
  const makeRoom = async (tokens: number): Promise<void> => {
    try {
      await reservation.raise(upTo(tokens));
      room = tokens;
    } catch (error) {
      const left = error instanceof BudgetExceededError ? tokensFor(model, prompt, error.left) : 0;
      if (left < output.tokens + ahead) throw error;
      // What's left of a budget is used, too.
      await makeRoom(left);
    }
  };
  try {
    const request = { model, messages: [...messages] };
    const events = service.chat.stream(request, {
      ...options,
      ...reservation.sending,
      conversationId: call.conversationId,
    });
    for await (const event of events) {
      if (event.type === 'end') await reservation.settle(settled(model, event, soFar()));
      else {
        const before = output.tokens;
        output.add(event.reasoning ?? '');
        output.add(event.text.slice(event.repeated));
        ahead = Math.max(ahead, output.tokens - before);
        counted = event.usage ?? counted;
      }
      yield event;
      const wanted = output.tokens + ahead;
      const mayGrow = event.type === 'text' && !event.isLast;
      if (mayGrow && wanted > room) await makeRoom(Math.max(2 * room, wanted));
    }
  } catch (error) {
    const hasBegun = output.tokens > 0;
    const left = error instanceof CancelledError && hasBegun;
    if ((error instanceof ServiceError && !left) || !hasBegun) await reservation.fail(error, brokenOff(room));
    throw error;
  } finally {
    await reservation.settle(brokenOff(Math.min(room, output.tokens + ahead)));
  }
}

/** Credits that are reserved for an answer before its length is known. */
export function beforeAnswer(model: ChatModel, messages: readonly ChatMessage[]): CreditRange {
  return chatCreditsEstimated(model, promptTokens(messages), firstRoom);
}

/** The cost so far of an answer that isn't over: the service's count of its question, where there is one, and ours of the rest. */
function spentSoFar(
  model: ChatModel,
  quantity: { readonly inputTokens: number; readonly outputTokens: number },
  counted: ChatUsage | undefined,
): Spending {
  if (!counted || !isCount({ ...counted, outputTokens: 1 }, quantity))
    return {
      credits: chatCreditsEstimated(model, quantity.inputTokens, quantity.outputTokens),
      quantity,
      estimated: true,
    };
  const usage = { ...counted, outputTokens: Math.max(counted.outputTokens, quantity.outputTokens) };
  return { credits: chatCredits(model, usage), quantity: usage, estimated: true };
}

function settled(model: ChatModel, event: Extract<ChatEvent, { type: 'end' }>, soFar: Spending): Spending {
  const { usage, requestId } = event;
  if (!usage || !isCount(usage, soFar.quantity)) return { ...soFar, requestId };
  return { credits: chatCredits(model, usage), quantity: usage, requestId };
}

/** A service that doesn't count says zero, which isn't the price of a question and its answer. */
function isCount(usage: ChatUsage, quantity: Spending['quantity']): boolean {
  const { inputTokens, cacheReadTokens, cacheCreationTokens, outputTokens } = usage;
  const written = outputTokens > 0 || quantity.outputTokens === 0;
  return written && inputTokens + cacheReadTokens + cacheCreationTokens > 0;
}

/** About how many tokens a request's messages have. */
function promptTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + tokensPerMessage + estimateTokens(content), 0);
}

/** A clip, and how long it is in seconds. */
export interface MeteredClip extends SpeechResult {
  readonly seconds: number;
}

/** What is spoken, and what it counts against. */
export interface SpeechOrder extends Limits, Pick<PaidCall, 'job' | 'conversationId'> {
  readonly request: SpeechRequest;
}

/** The possible cost of speaking a text: its length isn't known before. */
export function speechPrice({
  input,
  speed,
  language,
}: Pick<SpeechRequest, 'input' | 'speed' | 'language'>): CreditRange {
  const { low, high } = speechSeconds(input, { speed, language });
  return { low: speechCredits(low), high: speechCredits(high) };
}

/** Speaks a text, charged by the clip's real length; the clip is marked as made by a machine. */
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
    const { requestId } = clip;
    if (known === 0)
      throw new BadResponseError('the clip is empty', {
        operation: 'speech',
        outcome: 'unknown',
        retryable: true,
        requestId,
      });
    const seconds = known ?? speechSeconds(request.input, request).high;
    const spending = {
      credits: known === undefined ? estimate : exactly(speechCredits(known)),
      quantity: { seconds },
      estimated: known === undefined,
      requestId,
    };
    return { result: { ...clip, bytes: await markedBytes(clip.bytes), seconds }, spending };
  });
}
