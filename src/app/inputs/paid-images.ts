import { creditsOfImage, exactly, type PaidCall, type PaidCalls } from '../../credits/index.ts';
import { renderId } from '../../renders/index.ts';

/** The paid calls of a job's images: one for each, as the service charges for each. */
export function paidImages(call: Omit<PaidCall, 'kind' | 'quantity' | 'estimate'>, count: number): PaidCalls {
  const { job } = call;
  const image = (part: number): PaidCall => ({
    ...call,
    job: { ...job, id: renderId(job.id, part) },
    kind: 'image',
    quantity: { images: 1 },
    estimate: exactly(creditsOfImage),
  });
  return [image(1), ...Array.from({ length: count - 1 }, (_, index) => image(index + 2))];
}
