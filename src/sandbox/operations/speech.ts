import { speech as limits } from '../../service-rules/limits.ts';
import { speechModel } from '../../service-rules/models.ts';
import { speechCreditsPerSecond } from '../../service-rules/prices.ts';
import { knownVoices } from '../../service-rules/voices.ts';
import { readDirectives } from '../faults/faults.ts';
import { beforeWork, type Call, duringWork, json, meter, requireCredits, send } from '../http/call.ts';
import type { Parameters } from '../http/parameters.ts';
import { speechTypes, voiceLists } from '../http/response-variants.ts';
import { spokenLanguage } from '../media/speech/voices.ts';

/** GET /audio/voices. */
export async function listVoices(call: Call): Promise<void> {
  const faults = call.account.faults('voices');
  await beforeWork(call, faults);
  await duringWork(call, faults);
  meter(call, { operation: 'voices', microcredits: 0 });
  await send(call, json(voiceLists[call.account.behavior.shapes.voices](knownVoices)), faults);
}

/** POST /audio/speech. Charged by the clip's seconds, rounded up (service description, section 8). */
export async function speak(call: Call): Promise<void> {
  const request = readRequest(call.body);
  const { shapes } = call.account.behavior;
  const prompt = readDirectives(request.text);
  const faults = call.account.faults('speech', prompt);
  await beforeWork(call, faults);
  requireCredits(call, price(1));
  await duringWork(call, faults);
  const format = shapes.speech === 'as_asked' ? request.format : shapes.speech;
  const studio = await call.studio();
  const clip = await studio.speak({ ...request, text: prompt.text, format }, call.left);
  const seconds = Math.max(1, Math.ceil(clip.seconds));
  meter(call, { operation: 'speech', microcredits: price(seconds), detail: { seconds } });
  const headers = {
    ...speechTypes[shapes.speech_type](clip.contentType),
    'x-sandbox-language': request.language,
    'x-sandbox-seconds': clip.seconds.toFixed(3),
  };
  await send(call, { headers, body: clip.bytes }, faults);
}

function price(seconds: number): number {
  return seconds * speechCreditsPerSecond * 1e6;
}

function readRequest(body: Parameters) {
  body.choice('model', [speechModel]);
  const ids = knownVoices.map(({ id }) => id);
  const voice = body.choice('voice', ids);
  const text = body.text('input');
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.maxInputBytes)
    throw body.tooLong('input', `${bytes} bytes of UTF-8`, `${limits.maxInputBytes} bytes`);
  const wished = body.has('language') ? body.string('language', 'a language tag such as zh-CN or en') : '';
  return {
    text,
    voice,
    language: spokenLanguage(knownVoices[ids.indexOf(voice)]?.languages ?? [], wished),
    format: body.choice('response_format', limits.formats, limits.defaultFormat),
    speed: body.number('speed', limits.speed, limits.speed.default),
  };
}
