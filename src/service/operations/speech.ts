import { speech, type SpeechFormat } from '../../service-rules/limits.ts';
import { speechModel } from '../../service-rules/models.ts';
import { knownVoices } from '../../service-rules/voices.ts';
import type { Context } from '../calls.ts';
import { decodeErrorValue, errorFromAnswer, isErrorAlone, parseJson } from '../decode/answer.ts';
import { beginsLikeText, mediaType } from '../decode/media.ts';
import { CancelledError, ClientClosedError, type Fault, InvalidRequestError } from '../errors.ts';
import { badResponse, readWhole } from '../http/read-json.ts';
import type { Answer } from '../http/transport.ts';
import type { CallOptions } from '../options.ts';
import {
  checkObject,
  matching,
  numberBetween,
  oneOf,
  optional,
  required,
  type Rules,
  text,
} from '../validation.ts';
import type { Voices } from './voices.ts';

/** The file type of a speech. `opus` is Opus in Ogg, `ogg` any other Ogg. */
export type AudioFormat = 'mp3' | 'wav' | 'opus' | 'ogg' | 'flac' | 'aac' | 'm4a' | 'webm';

const formats = new Map<string | undefined, AudioFormat>([
  ['audio/mpeg', 'mp3'],
  ['audio/wav', 'wav'],
  ['audio/ogg; codecs=opus', 'opus'],
  ['audio/ogg; codecs=vorbis', 'ogg'],
  ['audio/ogg', 'ogg'],
  ['audio/flac', 'flac'],
  ['audio/aac', 'aac'],
  ['audio/mp4', 'm4a'],
  ['video/mp4', 'm4a'],
  ['video/webm', 'webm'],
]);

/** A complete speech. */
export interface SpeechResult {
  bytes: Uint8Array;
  /** Detected from the bytes; otherwise the requested type if the service says it is audio. */
  format: AudioFormat;
  contentType: string;
  requestId: string | undefined;
}

/** Speech (description, POST /audio/speech). */
export class Speech {
  readonly #context: Context;
  readonly #voices: Voices;

  constructor(context: Context, voices: Voices) {
    this.#context = context;
    this.#voices = voices;
  }

  /**
   * Turns text into an audio file. A voice that isn't in the description is first looked up in the service's list,
   * which is free, so that a typo doesn't cost credits.
   */
  async create(request: SpeechRequest, options: CallOptions = {}): Promise<SpeechResult> {
    await this.#check(request, options);
    const { input, voice, language, format, speed } = request;
    const { calls, timeouts } = this.#context;
    return calls.run(
      {
        operation: 'speech',
        group: 'voice',
        method: 'POST',
        path: '/audio/speech',
        accept: 'audio/*, application/json',
        body: {
          model: speechModel,
          input: input.toWellFormed(),
          voice,
          language,
          response_format: format,
          speed,
        },
        paid: true,
        limit: timeouts.speech,
      },
      options,
      (answer) => this.#read(answer, format ?? 'mp3'),
    );
  }

  async #check(request: SpeechRequest, options: CallOptions): Promise<void> {
    const faults = validateSpeech(request);
    if (faults.length === 0) return;
    const onlyVoice = faults.every((fault) => fault.field === 'voice' && fault.code === 'choice');
    if (!onlyVoice) throw new InvalidRequestError('speech', faults);
    const listed = await this.#listed(options);
    if (listed.length === 0) return;
    const left = validateSpeech(request, [...knownVoices.map((voice) => voice.id), ...listed]);
    if (left.length > 0) throw new InvalidRequestError('speech', left);
  }

  /** Empty if the list is unavailable: then the service itself decides whether it knows the voice. */
  async #listed(options: CallOptions): Promise<readonly string[]> {
    try {
      return await this.#voices.ids(options);
    } catch (error) {
      const stopped = error instanceof CancelledError || error instanceof ClientClosedError;
      if (stopped || error instanceof InvalidRequestError) throw error;
      return [];
    }
  }

  async #read(answer: Answer, wanted: AudioFormat): Promise<SpeechResult> {
    const bytes = await readWhole(answer, this.#context.limits.speechBytes);
    const { requestId } = answer;
    const type = mediaType(bytes);
    const format = formats.get(type);
    if (type !== undefined && format) return { bytes, format, contentType: type, requestId };
    const told = answer.header('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (bytes.length > 0 && type === undefined && told?.startsWith('audio/') && !beginsLikeText(bytes))
      return { bytes, format: wanted, contentType: told, requestId };
    throw this.#noAudio(answer, bytes);
  }

  #noAudio(answer: Answer, bytes: Buffer): Error {
    const { operation, requestId } = answer;
    const value = parseJson(bytes.subarray(0, 65_536).toString());
    if (isErrorAlone(value))
      return errorFromAnswer({ operation, status: 200, body: decodeErrorValue(value), requestId });
    if (value !== undefined) this.#context.shapes.report(operation, 'answer without audio', value);
    return badResponse(answer, 'the answer is no audio');
  }
}

/** Request of `speech.create` (description, POST /audio/speech). */
export interface SpeechRequest {
  /** At most 16,384 bytes of UTF-8. */
  input: string;
  /** A voice id. */
  voice: string;
  /** `zh-CN`, `en`, …; the service uses the voice's default if the voice doesn't support it. */
  language?: string | undefined;
  /** Sent as `response_format`; mp3 by default. */
  format?: SpeechFormat | undefined;
  /** 0.5 to 2; 1 by default. */
  speed?: number | undefined;
}

const knownVoiceIds = knownVoices.map((voice) => voice.id);

/**
 * Validates a speech request; returns all faults.
 * @param voices the allowed ids; by default those of the description. The list operation may return more.
 */
export function validateSpeech(value: unknown, voices: readonly string[] = knownVoiceIds): Fault[] {
  const request: Rules<SpeechRequest> = {
    input: required(text({ maxBytes: speech.maxInputBytes })),
    voice: required(oneOf(voices)),
    language: optional(matching(speech.language.expression, 'a language tag such as zh-CN or en')),
    format: optional(oneOf(speech.formats)),
    speed: optional(numberBetween(speech.speed)),
  };
  return checkObject(request, value);
}
