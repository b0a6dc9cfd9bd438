import type { Render } from '../../src/renders/index.ts';
import type { Words } from '../../src/words/index.ts';

/** How a render ended without a result, in a sentence. */
export function renderFault(render: Render, say: Words): string {
  const { errors } = say;
  if (render.state === 'uncertain') return say.noticeUncertain;
  const fault = render.fault;
  switch (fault?.code) {
    case undefined:
      return errors.unexpected;
    case 'refused':
      return errors.refused(fault.reason);
    case 'failed':
      return errors.renderFailed(fault.reason);
    case 'deadline':
      return errors.renderDeadline(fault.minutes);
    case 'task-gone':
      return errors.notFound;
    case 'result-gone':
      return errors.resultGone;
    case 'result-too-large':
      return errors.resultGone;
    case 'delivery':
      return fault.kind === 'no-permission' ? errors.noPermission(fault.detail ?? '') : errors.fileNotAllowed;
    case 'not-sent':
      return {
        authentication: errors.authentication,
        credit: errors.credit,
        'rate-limit': errors.rateLimit,
        unreachable: errors.connection,
      }[fault.error];
  }
}
