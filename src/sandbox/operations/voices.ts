import { knownVoices } from '../../service-rules/voices.ts';
import { voiceList } from '../http/answer-shapes.ts';
import { type Call, type Dependencies, meter } from '../http/call.ts';
import { beforeWork, duringWork, json, send } from '../http/send.ts';

/** GET /audio/voices. */
export async function listVoices(dependencies: Dependencies, call: Call): Promise<void> {
  const faults = call.account.faults('voices');
  await beforeWork(dependencies, call, faults);
  await duringWork(dependencies, call, faults);
  meter(dependencies, call, { operation: 'voices', microcredits: 0 });
  await send(dependencies, call, json(voiceList(call.account.switches.shapes.voices, knownVoices)), faults);
}
