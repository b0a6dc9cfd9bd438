import { speech as limits, type SpeechFormat } from '../../service-rules/limits.ts';
import { speechModel } from '../../service-rules/models.ts';
import { speechCreditsPerSecond } from '../../service-rules/prices.ts';
import { type KnownVoice, knownVoices } from '../../service-rules/voices.ts';
import { readDirectives } from '../faults/prompt-directives.ts';
import { type Call, type Dependencies, meter, requireCredits } from '../http/call.ts';
import type { Parameters } from '../http/parameters.ts';
import { speechTypeHeaders } from '../http/response-variants.ts';
import { beforeWork, duringWork, send } from '../http/send.ts';

/** A valid request of POST /audio/speech. */
interface SpeechRequest {
  readonly input: string;
  readonly voice: string;
  readonly language: string;
  readonly format: SpeechFormat;
  readonly speed: number;
}

/** POST /audio/speech. Charged by the clip's seconds, rounded up (service description, section 8). */
export async function speak(dependencies: Dependencies, call: Call): Promise<void> {
  const request = readRequest(call.body);
  const prompt = readDirectives(request.input);
  const faults = call.account.faults('speech', prompt);
  await beforeWork(dependencies, call, faults);
  requireCredits(call, secondsPrice(1));
  await duringWork(dependencies, call, faults);
  const { input, ...rest } = request;
  const { speech } = call.account.behavior.shapes;
  const format = speech === 'as_asked' ? request.format : speech;
  const studio = await dependencies.studio();
  const clip = await studio.speak({ ...rest, format, text: prompt.text || input }, call.left);
  const seconds = Math.max(1, Math.ceil(clip.seconds));
  meter(dependencies, call, {
    operation: 'speech',
    microcredits: secondsPrice(seconds),
    detail: { seconds },
  });
  const headers = {
    ...speechTypeHeaders(call.account.behavior.shapes.speech_type, clip.contentType),
    'x-sandbox-language': request.language,
    'x-sandbox-seconds': clip.seconds.toFixed(3),
  };
  await send(dependencies, call, { headers, body: clip.bytes }, faults);
}

function secondsPrice(seconds: number): number {
  return seconds * speechCreditsPerSecond * 1e6;
}

function readRequest(body: Parameters): SpeechRequest {
  body.choice('model', [speechModel]);
  const voice = readVoice(body);
  return {
    input: readInput(body),
    voice: voice.id,
    language: readLanguage(body, voice),
    format: body.choice('response_format', limits.formats, limits.defaultFormat),
    speed: body.number('speed', limits.speed, limits.speed.default),
  };
}

function readInput(body: Parameters): string {
  const input = body.text('input');
  const bytes = Buffer.byteLength(input);
  if (bytes <= limits.maxInputBytes) return input;
  throw body.tooLong('input', `${bytes} bytes of UTF-8`, `${limits.maxInputBytes} bytes`);
}

function readVoice(body: Parameters): KnownVoice {
  const id = body.choice(
    'voice',
    knownVoices.map((voice) => voice.id),
  );
  const voice = knownVoices.find((known) => known.id === id);
  if (!voice) throw body.invalid('voice', 'a known voice');
  return voice;
}

/** The requested language if the voice speaks it, else the voice's default. */
function readLanguage(body: Parameters, voice: KnownVoice): string {
  const tag = body.has('language') ? body.string('language', 'a language tag such as zh-CN or en') : '';
  const asked = primary(tag);
  return voice.languages.find((language) => primary(language) === asked) ?? voice.languages[0] ?? 'en';
}

function primary(tag: string): string | undefined {
  return tag.toLowerCase().split(/[-_]/)[0];
}
