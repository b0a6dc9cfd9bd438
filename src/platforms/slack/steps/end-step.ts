import { platformError, slackCode } from '../api/errors.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { StepRecord } from './step-records.ts';

/** How a step ends: with its outputs, or with a sentence that says why it failed. */
export type StepEnd = { readonly outputs: Readonly<Record<string, string>> } | { readonly error: string };

/** Longest error; longer ones help nobody. */
const maxError = 1_000;

/**
 * Codes after which another token may do. Slack documents the step’s own token, which may live for a quarter of an
 * hour alone (reported); whether the bot’s own token does as well isn’t documented.
 */
const tokenCodes: readonly (string | undefined)[] = [
  'token_revoked',
  'token_expired',
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'not_allowed_token_type',
  'no_permission',
  'access_denied',
  'function_execution_not_found',
];

/**
 * Tells Slack how a step ended: `ended`, once or once again. `gone`: Slack no longer knows the step. `invalid`: it
 * doesn’t take these outputs. Throws where that can be tried again later.
 */
export async function endStep(
  api: SlackApi,
  { execution, workspace, token }: StepRecord,
  end: StepEnd,
): Promise<'ended' | 'gone' | 'invalid'> {
  const [method, rest] =
    'outputs' in end
      ? (['functions.completeSuccess', { outputs: end.outputs }] as const)
      : (['functions.completeError', { error: end.error.slice(0, maxError) }] as const);
  const args = { function_execution_id: execution, ...rest };
  for (const own of token === undefined ? [undefined] : [token, undefined]) {
    try {
      await api.call(workspace, method, args, own === undefined ? {} : { token: own });
      return 'ended';
    } catch (error) {
      const code = slackCode(error);
      if (code === 'execution_not_in_running_state') return 'ended';
      if (code === 'parameter_validation_failed') return 'invalid';
      if (own !== undefined && tokenCodes.includes(code)) continue;
      if (platformError(error).kind === 'unreachable') throw error;
      return 'gone';
    }
  }
  return 'gone';
}
