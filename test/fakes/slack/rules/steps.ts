import { readManifest } from '../http/manifest.ts';
import type { Execution, Json } from '../records.ts';
import { everything, type Rule, startTrial, type Trial } from '../trial.ts';

const section = { type: 'section', text: { type: 'mrkdwn', text: 'Hello' } };
const home = (over: Json = {}): Json => ({ type: 'home', blocks: [section], ...over });
const publish = (t: Trial, view: Json, over: Json = {}) =>
  t.call('views.publish', { user_id: t.ada.user.id, view, ...over });

function changed(change: (manifest: Record<string, Json>) => void): Json {
  const manifest = structuredClone(everything) as Record<string, Json>;
  change(manifest);
  return manifest;
}

function refusal(change: (manifest: Record<string, Json>) => void): string {
  try {
    readManifest(changed(change));
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Starts a step; the app is not running, so nothing comes of it. */
function started(t: Trial): Execution {
  return t.ada.runs('ask', { prompt: 'hello' }).execution;
}

const complete = (t: Trial, { id }: Execution, outputs: Json = { answer: 'Yes.' }, token?: string) =>
  t.call('functions.completeSuccess', { function_execution_id: id, outputs }, token);

/** Home tabs; steps for Workflow Builder. */
export const stepRules: readonly Rule[] = [
  {
    rule: "a Home tab where the app's settings have none",
    answer: 'not_enabled',
    source: 'views.publish: errors',
    attempt: async () => {
      const t = await startTrial(
        changed((m) => Object.assign(m.features?.app_home as Json, { home_tab_enabled: false })),
      );
      return publish(t, home()).finally(() => t.slack.stop());
    },
  },
  {
    rule: 'a Home tab with a title',
    answer: 'invalid_arguments',
    source: 'Home tab views',
    attempt: (t) => publish(t, home({ title: { type: 'plain_text', text: 'x' } })),
  },
  {
    rule: 'a modal as a Home tab',
    answer: 'invalid_arguments',
    source: 'views.publish',
    attempt: (t) => publish(t, home({ type: 'modal' })),
  },
  {
    rule: 'more than 100 blocks in a Home tab',
    answer: 'invalid_arguments',
    source: 'Home tab views',
    attempt: (t) => publish(t, home({ blocks: Array.from({ length: 101 }, () => section) })),
  },
  {
    rule: 'a Markdown block in a Home tab',
    answer: 'invalid_arguments',
    source: 'Block Kit: markdown block, surfaces',
    attempt: (t) => publish(t, home({ blocks: [{ type: 'markdown', text: 'x' }] })),
  },
  {
    rule: 'private_metadata over 3,000 characters in a Home tab',
    answer: 'invalid_arguments',
    source: 'Home tab views',
    attempt: (t) => publish(t, home({ private_metadata: 'x'.repeat(3_001) })),
  },
  {
    rule: 'a Home tab with the hash of an earlier one',
    answer: 'ok, hash_conflict',
    source: 'views.publish: errors',
    attempt: async (t) => {
      await publish(t, home());
      const hash = t.ada.home?.hash;
      return `${await publish(t, home(), { hash })}, ${await publish(t, home(), { hash })}`;
    },
  },
  {
    rule: 'a Home tab for somebody who is not there',
    answer: 'invalid_arguments',
    source: 'views.publish (seen)',
    attempt: (t) => t.call('views.publish', { user_id: 'U0NOBODY', view: home() }),
  },
  {
    rule: 'ending a step twice',
    answer: 'ok, execution_not_in_running_state',
    source: 'functions.completeSuccess: errors',
    attempt: async (t) => {
      const execution = started(t);
      return `${await complete(t, execution)}, ${await complete(t, execution)}`;
    },
  },
  {
    rule: 'ending an invented step',
    answer: 'function_execution_not_found',
    source: 'functions.completeSuccess: errors',
    attempt: (t) => t.call('functions.completeError', { function_execution_id: 'Fx0', error: 'x' }),
  },
  {
    rule: 'ending a step without an output that is required',
    answer: 'parameter_validation_failed',
    source: 'functions.completeSuccess: errors',
    attempt: (t) => complete(t, started(t), {}),
  },
  {
    rule: 'ending a step with an output that its definition lacks',
    answer: 'parameter_validation_failed',
    source: 'functions.completeSuccess: errors',
    attempt: (t) => complete(t, started(t), { answer: 'Yes.', more: 'x' }),
  },
  {
    rule: "ending another step with a step's own token",
    answer: 'function_execution_not_found',
    source: 'function_executed: bot_access_token',
    attempt: (t) => complete(t, started(t), undefined, started(t).token),
  },
  {
    rule: "a step's own token once the step has ended",
    answer: 'ok, token_revoked',
    source: 'bolt-js issue 2288 (seen)',
    attempt: async (t) => {
      const execution = started(t);
      const first = await complete(t, execution, undefined, execution.token);
      return `${first}, ${await complete(t, execution, undefined, execution.token)}`;
    },
  },
  {
    rule: "a step's own token after a quarter of an hour, where it does not live as long as its step",
    answer: 'token_revoked',
    source: 'ChatGPT-in-Slack issue 75 (seen; uncertain)',
    attempt: async (t) => {
      t.slack.world.readings.stepTokenLives = 'refused';
      const execution = started(t);
      await t.clock.advance(15 * 60_000 + 1);
      return complete(t, execution, undefined, execution.token);
    },
  },
  {
    rule: "ending a step with the bot's token, where only the step's own does",
    answer: 'function_execution_not_found',
    source: 'functions.completeSuccess (uncertain)',
    attempt: (t) => {
      t.slack.world.readings.stepByBotToken = 'refused';
      return complete(t, started(t));
    },
  },
  {
    rule: 'steps in a manifest that is not for whole organizations',
    answer: 'manifest: functions need settings.org_deploy_enabled',
    source: 'custom steps',
    attempt: () => refusal((m) => Object.assign(m.settings as Json, { org_deploy_enabled: false })),
  },
  {
    rule: 'steps in a manifest without their runtime',
    answer: 'manifest: functions need settings.function_runtime remote',
    source: 'app manifest reference',
    attempt: () => refusal((m) => Object.assign(m.settings as Json, { function_runtime: undefined })),
  },
  {
    rule: 'steps without the event that starts them',
    answer: 'manifest: functions need the event function_executed',
    source: 'custom steps',
    attempt: () =>
      refusal((m) => {
        const events = m.settings?.event_subscriptions as { bot_events: string[] };
        events.bot_events = events.bot_events.filter((name) => name !== 'function_executed');
      }),
  },
];
