import type { ControlledPlace, ControlOutcome, ControlState } from '../../../../port/control-room.ts';
import type { WireControlled, WireTrail } from '../../api/wire.ts';
import { get, json } from '../api.ts';

export const fetchControl = (): Promise<ControlState> => get('control', {});

export const fetchTrail = (job: string): Promise<WireTrail> => get('control/trail', { job });

export const switchPlace = (
  { platform, workspace }: ControlledPlace,
  off: boolean,
): Promise<ControlOutcome> => act('switch', { platform, workspace, off });

export const setCeiling = (
  { platform, workspace }: ControlledPlace,
  credits: number,
): Promise<ControlOutcome> => act('ceiling', { platform, workspace, credits });

export const cancelRender = (job: string): Promise<ControlOutcome> => act('cancel', { job });

export const retryRender = (job: string): Promise<ControlOutcome> => act('retry', { job });

/** `id` is the same however often one test is tried. */
export const sendTest = (id: string): Promise<ControlOutcome> => act('test', { id });

async function act(action: string, body: object): Promise<ControlOutcome> {
  return (await json<WireControlled>('POST', `control/${action}`, body)).outcome;
}
