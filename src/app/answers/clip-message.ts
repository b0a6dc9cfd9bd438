import type { z } from 'zod';
import { type SecondsRange, speechSeconds } from '../../credits/index.ts';
import type { Invocation } from '../../engine/index.ts';
import { quoted } from '../../lib/text.ts';
import { maxSoundBytes } from '../../media/index.ts';
import {
  adapterOf,
  fileOf,
  isPrivate,
  type Job,
  type Message,
  type Reply,
  turnsOf,
} from '../../port/index.ts';
import type { SpeechFormat } from '../../service-rules/limits.ts';
import { knownVoices } from '../../service-rules/voices.ts';
import type { AudioFormat } from '../../service/index.ts';
import { type Words, words } from '../../words/index.ts';
import type { CommandDependencies } from '../define-command.ts';
import { machineNotes, removeButton, reportButtons, shareButtons } from '../endings.ts';
import { conversationOf, type readAnswer } from '../job-context.ts';
import { type MeteredClip, meteredSpeech } from '../metered-calls.ts';

/** The values of `/speak`. */
interface SpeakValues extends z.infer<typeof readAnswer> {
  readonly text: string;
  readonly voice?: string;
  readonly language?: string;
  readonly format?: SpeechFormat;
  readonly speed?: number;
}

/** What asked for a clip was deleted while that waited for its turn. */
class DeletedError extends Error {}

/**
 * Speaks a text and makes a message of the clip, in the format that plays best here unless the person chose one. Undefined
 * if what asked for it was deleted before it was sent to be spoken.
 */
export async function clipMessage(
  invocation: Invocation<SpeakValues>,
  dependencies: CommandDependencies,
): Promise<Message | undefined> {
  const { job, options: values, settings, address, requester, reply, signal } = invocation;
  const { text, voice = knownVoices[0]?.id ?? '', language, speed } = values;
  const say = words(requester.locale);
  const playable = (await reply.clipFormat?.()) ?? 'mp3';
  const seconds = speechSeconds(text, { speed, language });
  const limit = () => adapterOf(dependencies, address).maxFileBytes(address, 'audio');
  // That a WAV is too large to be posted here is known before it's paid for: then it's an MP3.
  const isTooLong = values.format === 'wav' && !mayBeWav(seconds, await limit());
  const format = isTooLong ? 'mp3' : (values.format ?? playable);
  const made = await undefinedIfDeleted(
    meteredSpeech(
      dependencies,
      {
        job,
        ...dependencies.limitsFor(requester, settings),
        conversationId: await dependencies.conversations.id(conversationOf(invocation)),
        request: { input: text, voice: voice.trim(), format, language, speed },
      },
      {
        signal,
        ...turnsOf(address, requester),
        onWait: sayPositionOnce(reply, say),
        beforeSending: async () => {
          if (await isDeleted(job, dependencies)) throw new DeletedError();
        },
      },
    ),
  );
  if (!made) return undefined;
  // The service may send another format than the one requested; a format the person chose is left as it is.
  const isPlayable = values.format !== undefined || made.format === playable;
  const converted = isPlayable ? undefined : await dependencies.sounds.convert(made.bytes, playable);
  const clip = { ...made, ...converted };
  const file = fileOf(clip.bytes, {
    name: `speech.${extension(clip.format, values.format)}`,
    contentType: clip.contentType,
    // A voice message can't be hidden, nor have a button.
    kind: isPrivate(job) ? 'audio' : clipKind(values),
    description: text,
    seconds: clip.seconds,
    id: job.id,
  });
  const converting = isTooLong ? say.tooLargeAs('WAV', clip.format.toUpperCase()) : undefined;
  const notes = [converting, await machineNotes('media', job, settings, dependencies)].filter(Boolean);
  const note = notes.length > 0 ? `\n\n${notes.join('\n')}` : '';
  const { buttons: amount } = settings.values;
  const about = values.answer === undefined ? quoted(text) : aboutAnswer(values, say);
  return {
    text: `${about}${note}`,
    unquoted: `${say.spoken}${note}`,
    files: [file],
    buttons: [
      ...(amount === 'none' ? [] : shareButtons(job, say)),
      ...(amount === 'all' ? reportButtons(job, say, dependencies.adapters) : []),
      removeButton(job, say),
    ],
  };
}

/** Whether what asked for a clip was deleted. Where that can't be known, since the database is away, it goes on. */
export async function isDeleted(job: Job, { deletions }: CommandDependencies): Promise<boolean> {
  return (await deletions.of(job).catch(() => undefined)) !== undefined;
}

async function undefinedIfDeleted(work: Promise<MeteredClip>): Promise<MeteredClip | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DeletedError) return undefined;
    throw error;
  }
}

/** An answer stands right above its clip: it isn't quoted once more. */
function aboutAnswer({ part }: SpeakValues, say: Words): string {
  if (part === 'beginning') return say.answerReadInPart;
  return part === 'shown' ? say.lastPartRead : say.answerRead;
}

/** Players know Opus in Ogg by its container's name; a person who chose `opus` gets that name. */
function extension(format: AudioFormat, chosen: string | undefined): string {
  return format === 'opus' && chosen === undefined ? 'ogg' : format;
}

/** Tells the person their position in the queue once: a clip has no message in which it could count down. */
function sayPositionOnce(reply: Reply, say: Words): (position: number) => void {
  let isSaid = false;
  return (position) => {
    if (isSaid) return;
    isSaid = true;
    // The clip is made whether or not this message gets through.
    reply.whisper({ text: say.waitingPlace(position) }).catch(() => {});
  };
}

/** The kind of a clip's file: what everybody may hear is a voice message, unless a format was chosen. */
export function clipKind({ format }: { readonly format?: unknown }): 'voice' | 'audio' {
  return format === undefined ? 'voice' : 'audio';
}

/** Bytes per second of WAV: 16,000 to 48,000 samples of two bytes. Which of these the service uses isn't documented. */
const bytesPerSecond = { low: 2 * 16_000, high: 2 * 48_000 };

/**
 * Whether a clip of about so long may be asked for as WAV where a file may have `limit` bytes: it may fit, and if it
 * turns out not to, it can still be made smaller.
 */
export function mayBeWav({ low, high }: SecondsRange, limit: number): boolean {
  if (low * bytesPerSecond.low > limit) return false;
  return high * bytesPerSecond.high <= Math.max(limit, maxSoundBytes);
}
