import type { WireControl, WireControlled, WireControlOutcome, WireTrail } from '../../api/control.ts';
import { get, json } from '../api.ts';

/** A place, as actions name it. */
interface At {
  readonly platform: string;
  readonly workspace: string;
}

export const fetchControl = (): Promise<WireControl> => get('control', {});

export const fetchTrail = (job: string): Promise<WireTrail> => get('control/trail', { job });

export const switchPlace = ({ platform, workspace }: At, off: boolean): Promise<WireControlOutcome> =>
  act('switch', { platform, workspace, off });

export const setCeiling = ({ platform, workspace }: At, credits: number): Promise<WireControlOutcome> =>
  act('ceiling', { platform, workspace, credits });

export const cancelRender = (job: string): Promise<WireControlOutcome> => act('cancel', { job });

export const retryRender = (job: string): Promise<WireControlOutcome> => act('retry', { job });

/** `id` is the same however often one test is tried. */
export const sendTest = (id: string): Promise<WireControlOutcome> => act('test', { id });

async function act(action: string, body: object): Promise<WireControlOutcome> {
  return (await json<WireControlled>('POST', `control/${action}`, body)).outcome;
}
