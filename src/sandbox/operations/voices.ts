import { knownVoices } from '../../service-rules/voices.ts';
import { type Call, type Dependencies, meter } from '../http/call.ts';
import { voiceList } from '../http/response-variants.ts';
import { beforeWork, duringWork, json, send } from '../http/send.ts';

/** GET /audio/voices. */
export async function listVoices(dependencies: Dependencies, call: Call): Promise<void> {
  const faults = call.account.faults('voices');
  await beforeWork(dependencies, call, faults);
  await duringWork(dependencies, call, faults);
  meter(dependencies, call, { operation: 'voices', microcredits: 0 });
  await send(dependencies, call, json(voiceList(call.account.behavior.shapes.voices, knownVoices)), faults);
}
