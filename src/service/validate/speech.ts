import { type SpeechFormat, speech } from '../../service-rules/limits.ts';
import { knownVoices } from '../../service-rules/voices.ts';
import type { Fault } from '../errors/fault.ts';
import {
  checkObject,
  matching,
  numberBetween,
  oneOf,
  optional,
  type Rules,
  required,
  text,
} from './rules.ts';

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

const languageTag = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/;
const knownVoiceIds = knownVoices.map((voice) => voice.id);

/**
 * Validates a speech request; returns all faults.
 * @param voices the allowed ids; by default those of the description. The list operation may return more.
 */
export function validateSpeech(value: unknown, voices: readonly string[] = knownVoiceIds): Fault[] {
  const request: Rules<SpeechRequest> = {
    input: required(text({ maxBytes: speech.maxInputBytes })),
    voice: required(oneOf(voices)),
    language: optional(matching(languageTag, 'a language tag such as zh-CN or en')),
    format: optional(oneOf(speech.formats)),
    speed: optional(numberBetween(speech.speed)),
  };
  return checkObject(request, value);
}
