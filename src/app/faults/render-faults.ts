import type { Render } from '../../renders/index.ts';
import { bytesInWords, type Words } from '../../words/index.ts';
import { explainPlatformError } from './explain.ts';

/** Why a render ended without a result, as a person reads it. */
function renderFault(render: Render, say: Words): string {
  const { errors } = say;
  const fault = render.fault;
  if (render.state === 'uncertain' && fault === undefined) return say.noticeUncertain;
  switch (fault?.code) {
    case undefined:
      return errors.unexpected;
    case 'canceled':
      return say.canceled;
    case 'server':
      return errors.serverMayCharge;
    case 'refused':
      return errors.refused(fault.reason);
    case 'failed':
      return errors.renderFailed(fault.reason);
    case 'deadline':
      return errors.renderDeadline(fault.minutes);
    case 'unanswered':
      return errors.renderUnanswered(fault.days);
    case 'task-gone':
      return errors.notFound;
    case 'result-gone':
      return errors.resultGone;
    case 'wrong-kind':
      return errors.wrongKind[render.kind];
    case 'result-too-large':
      return fault.link === undefined
        ? errors.tooLarge(bytesInWords(fault.limit))
        : say.tooLargeHere(bytesInWords(fault.bytes ?? fault.limit), bytesInWords(fault.limit));
    case 'delivery':
      return explainPlatformError(fault, say);
    case 'no-place':
      return errors.placeTakesNothing(explainPlatformError(fault, say));
    case 'not-sent':
      return {
        authentication: errors.unavailable,
        credit: errors.unavailable,
        'rate-limit': errors.rateLimit,
        unreachable: errors.connection,
      }[fault.error];
  }
}

/** Why some of a job's renders have no result, each reason once. */
export function renderFaults(renders: readonly Render[], say: Words): string {
  const reasons = Map.groupBy(renders, (render) => renderFault(render, say));
  if (reasons.size === 1) return [...reasons.keys()].join('');
  return [...reasons].map(([reason, { length }]) => `${length} × ${reason}`).join('\n');
}

/** The link to a result that couldn't be posted. */
export function linkOf({ fault, result }: Render): { readonly link?: string } {
  const link = fault?.code === 'result-too-large' ? fault.link : result?.link;
  return link === undefined ? {} : { link };
}
