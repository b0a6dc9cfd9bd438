import { type APIMessage, InteractionType, MessageFlags } from 'discord-api-types/v10';
import { type Message, PlatformError } from '../../../port/index.ts';
import type { InteractionToken } from '../api/address.ts';
import { isExpired, throwExpiredIfUnconfirmed } from '../api/errors.ts';
import { maxMessageLength } from '../api/message-body.ts';
import { retryWithLowerLimits } from '../media/upload-limits.ts';
import { maxRequestBytes } from '../media/uploads.ts';
import { isLoading } from './loading-message.ts';
import { accessByToken } from './message-access.ts';
import { withWhose } from './message-header.ts';
import { editRequest, messageRequests, sendPlainerIfRefused } from './message-requests.ts';
import type { Poster } from './poster.ts';
import { fingerprint, messageFingerprint } from './records/find-message.ts';
import type { DiscordServices } from './services.ts';

/**
 * Answers an interaction whose process died, by its stored tokens, the first one that Discord knows: replaces the loading
 * message, or adds to the answer that replaced it already. Returns the token, and the id of the last message of it.
 * @throws {PlatformError} `expired` also if a part may be missing and can't be sent again: it comes in another way.
 */
export async function answerInterrupted(
  services: DiscordServices,
  poster: Poster,
  tokens: readonly InteractionToken[],
  notice: Message,
): Promise<{ readonly token: InteractionToken; readonly id: string }> {
  const [token, ...others] = tokens;
  if (!token) throw new PlatformError('expired');
  const access = accessByToken(services, token);
  const original = await access.get('@original').catch((error: unknown) => {
    // The process may have died before it acknowledged the press.
    if (!isExpired(error) || others.length === 0) throw error;
  });
  if (!original) return answerInterrupted(services, poster, others, notice);
  return { token, id: await answerAt(services, poster, token, original, notice) };
}

/** Answers by a token that knows a message. */
async function answerAt(
  services: DiscordServices,
  poster: Poster,
  token: InteractionToken,
  original: APIMessage,
  notice: Message,
): Promise<string> {
  const access = accessByToken(services, token);
  const { content } = original;
  const hasAnswer = !isLoading(original);
  const isTyped = original.interaction_metadata?.type === InteractionType.ApplicationCommand;
  // An answer that's there has that line already.
  const message = hasAnswer ? notice : withWhose(notice, isTyped ? 'command' : undefined);
  const text = [content, message.text].filter(Boolean).join('\n\n');
  const hasFiles = Boolean(message.files?.length);
  // An earlier try got this far; only its response was lost.
  if (hasAnswer && message.text && content.endsWith(message.text.trim()) && !hasFiles) return original.id;
  if (hasAnswer && !hasFiles && text.length <= maxMessageLength) {
    await sendPlainerIfRefused(editRequest({ ...message, text }), ({ body }) =>
      access.edit('@original', body, []),
    );
    return original.id;
  }
  const hidden = ((original.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
  const playable = await services.voiceMessages.withPlayableFile(message);
  return retryWithLowerLimits(Math.min(token.uploadLimit, maxRequestBytes), async (limit) => {
    const [first, ...more] = await messageRequests(playable, limit, services.media);
    if (!hasAnswer)
      await sendPlainerIfRefused(first, ({ body, files }) => access.edit('@original', body, files));
    const isFirstThere = !hasAnswer || messageFingerprint(original) === fingerprint(first.body, first.files);
    let last = original.id;
    for (const request of isFirstThere ? more : [first, ...more]) {
      // One interaction may get several such messages: the interruption, and the result.
      const key = `settle ${fingerprint(request.body, request.files)}`;
      last = await poster.followUp({ ...token, hidden }, request, key).catch(throwExpiredIfUnconfirmed);
    }
    return last;
  });
}
