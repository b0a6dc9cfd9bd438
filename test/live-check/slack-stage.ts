import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/lib/clock.ts';
import { slackManifest } from '../../src/platforms/slack/setup/manifest.ts';
import { FakeClock } from '../fakes/clock.ts';
import { commands } from '../fakes/commands.ts';
import {
  type Channel,
  type FakePerson,
  FakeSlack,
  type Readings,
  type Workspace,
} from '../fakes/slack/index.ts';
import { usualReadings } from '../fakes/slack/readings.ts';
import { type CheckRun, runCheck, type RunOptions } from './stage.ts';

export interface SlackStage {
  readonly slack: FakeSlack;
  readonly clock: FakeClock;
  readonly workspace: Workspace;
  readonly channel: Channel;
  readonly ada: FakePerson;
  readonly ben: FakePerson;
  readonly environment: Readonly<Record<string, string>>;
  /** Runs the check, in the test's own time. */
  run(options?: Partial<RunOptions>): Promise<CheckRun>;
}

const allWork = Object.fromEntries(Object.keys(usualReadings).map((name) => [name, 'works']));

/** A workspace with a channel, a person and the bot in it. Every uncertain rule works, except as `readings` says. */
export async function slackStage(
  readings: Partial<Readings> = {},
  scopes?: readonly string[],
): Promise<SlackStage> {
  const clock = new FakeClock();
  const manifest = slackManifest(commands, { prefix: '' });
  const slack = await FakeSlack.start({ manifest, clock, readings: { ...allWork, ...readings } });
  onTestFinished(() => slack.stop());
  const workspace = slack.addWorkspace();
  const installation = slack.install(workspace, scopes);
  const ada = slack.person(workspace, { name: 'ada', locale: 'de-DE' });
  const ben = slack.person(workspace, { name: 'ben' });
  slack.group(workspace, 'films', [ada]);
  // Somebody of another workspace is in the channel.
  const olga = slack.visitor(workspace, slack.person(slack.addWorkspace('elsewhere'), { name: 'olga' }));
  const channel = slack.channel(workspace, 'trials', [ada, olga]);
  const environment = {
    SLACK_BOT_TOKEN: installation.token,
    SLACK_APP_TOKEN: slack.credentials.appToken,
    SLACK_API_URL: slack.apiUrl,
  };
  return {
    slack,
    clock,
    workspace,
    channel,
    ada,
    ben,
    environment,
    run: (options = {}) =>
      runCheck('slack', { environment, channel: channel.id, clock: selfAdvancing(clock), ...options }),
  };
}

/** A clock that advances at once when the check waits, and never otherwise. */
function selfAdvancing(clock: FakeClock): Clock {
  return {
    now: () => clock.now(),
    steady: () => clock.steady(),
    jitter: () => clock.jitter(),
    after(milliseconds, task) {
      let cancelled = false;
      void clock.advance(milliseconds).then(() => !cancelled && task());
      return () => {
        cancelled = true;
      };
    },
  };
}
