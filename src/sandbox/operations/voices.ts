import { knownVoices } from '../../service-rules/voices.ts';
import { voiceList } from '../http/answer-shapes.ts';
import { type Call, meter, type Parts } from '../http/call.ts';
import { beforeWork, duringWork, json, send } from '../http/send.ts';

/** GET /audio/voices. */
export async function listVoices(parts: Parts, call: Call): Promise<void> {
  const faults = call.account.faults('voices');
  await beforeWork(parts, call, faults);
  await duringWork(parts, call, faults);
  meter(parts, call, { operation: 'voices', microcredits: 0 });
  await send(parts, call, json(voiceList(call.account.switches.shapes.voices, knownVoices)), faults);
}
