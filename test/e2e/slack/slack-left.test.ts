import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import type { Channel, FakePerson } from '../../fakes/slack/index.ts';
import { everythingIn } from '../support/everything.ts';
import { labelsOf, passes, startSlackScene } from '../support/slack-scene.ts';

async function begin(sandbox: SandboxOptions = {}) {
  const { url, rowsWith } = await everythingIn();
  /** Runs a statement while no bot does. */
  const run = (statement: string) => {
    using database = new DatabaseSync(url.slice('sqlite:'.length));
    database.exec(statement);
  };
  const isKept = (word: string) => rowsWith(word).length > 0;
  const environment = { DATABASE_URL: url, SLACK_OUTSIDERS: 'on' };
  const scene = await startSlackScene('oauth', sandbox, environment);
  const asks = async (person: FakePerson, at: Channel, what: string) => {
    person.says(`${person.bot} repeat: ${what}`, at);
    await scene.until(what, () =>
      scene.said(at).some((one) => labelsOf(one).includes('Delete') && JSON.stringify(one).includes(what)),
    );
  };
  /** What's due is looked at when the bot starts. */
  const looksAfter = async (hours: number, isOver: () => boolean) => {
    await scene.restart(() => passes(scene, hours * 60));
    await scene.until('an end', isOver);
  };
  return { ...scene, asks, looksAfter, rowsWith, isKept, run };
}

it('a day after a workspace has removed the app nothing of it is left, and its token at once; what else shares its channel stays', async () => {
  const scene = await begin();
  const { slack, asks, looksAfter, rowsWith, isKept } = scene;
  const [home, guest, quiet] = ['home', 'guest', 'quiet'].map((name) => slack.addWorkspace(name));
  const [hana, yan, zoe] = [home, guest, quiet].map((at) => slack.person(at!, { name: 'boss', admin: true }));
  for (const person of [hana, yan, zoe]) await scene.installs(person!, false);
  const shared = slack.channel(home!, 'shared', [hana!, yan!], { sharedWith: [guest!] });
  await asks(hana!, shared, 'CHEDDAR');
  await asks(yan!, shared, 'STILTON');
  await asks(zoe!, slack.channel(quiet!, 'talk', [zoe!]), 'GOUDA');
  for (const { done } of slack.uninstall(home!)) await done;
  // Nothing tells of it.
  for (const one of slack.world.installations.values())
    if (one.teamId === quiet!.id) one.state = 'account_inactive';
  await scene.until('no token', () => !isKept(`installation team ${home!.id}`));
  expect(['CHEDDAR', 'STILTON', 'GOUDA'].map(isKept)).toEqual([true, true, true]);
  await looksAfter(25, () => !isKept('CHEDDAR'));
  // Where a thread is of a workspace by its first answer is known as long as the answer's buttons work.
  expect(rowsWith(home!.id).filter((row) => !row.includes('slack::workspace of '))).toEqual([]);
  expect(['STILTON', 'GOUDA'].map(isKept)).toEqual([true, true]);
  await looksAfter(25, () => !isKept('GOUDA'));
  expect(rowsWith(`installation team ${quiet!.id}`)).toEqual([]);
  expect(isKept('STILTON')).toBe(true);
  await asks(yan!, shared, 'EMMENTAL');
});

it('what’s kept of a workspace stays while the token of its organization reaches it, and goes once that doesn’t', async () => {
  const scene = await begin();
  const { slack, asks, looksAfter, isKept } = scene;
  const [home, sister] = ['home', 'sister'].map((name) => slack.addWorkspace(name, 'E0HOME'));
  const [hana, sam] = [home, sister].map((at) =>
    slack.person(at!, { name: 'boss', admin: true, owner: true }),
  );
  await scene.installs(hana!, true);
  await asks(hana!, slack.channel(home!, 'talk', [hana!]), 'CHEDDAR');
  await asks(sam!, slack.channel(sister!, 'talk', [sam!]), 'GOUDA');
  for (const left of [home!, sister!]) for (const { done } of slack.leaveOrganization(left)) await done;
  // It's let in again, and nobody says anything there.
  home!.isLeftOut = false;
  await looksAfter(25, () => !isKept('GOUDA'));
  expect(isKept('CHEDDAR')).toBe(true);
});

it('nothing more is bought for a workspace that has removed the app, where the process died before what was under way there had stopped', async () => {
  const one = { chat: 1, voice: 1, images: 1, videos: 1, status: 100 };
  const scene = await begin({ limits: one });
  const { slack, rowsWith, run, until, spent } = scene;
  const home = slack.addWorkspace('home');
  const [hana, ivo] = ['hana', 'ivo'].map((name) => slack.person(home, { name, admin: true }));
  await scene.installs(hana!, false);
  const talk = slack.channel(home, 'talk', [hana!, ivo!]);
  for (const person of [hana!, ivo!]) await person.types('/video a kite', talk);
  await until(
    'one that waits for the service’s limit',
    () => rowsWith('"state":"reserved","request"').length > 0,
  );
  await scene.restart(async () => {
    for (const installation of slack.world.installations.values())
      if (installation.teamId === home.id) installation.state = 'account_inactive';
    // As the death leaves it.
    const left = { platform: 'slack', workspace: home.id, at: slack.world.clock.now() };
    run(
      `insert into keyv (key, value) values ('places::removed slack ${home.id}', '${JSON.stringify({ value: left })}')`,
    );
    run(`delete from keyv where key = 'slack::installation team ${home.id}'`);
  });
  await passes(scene, 10);
  // The one that was sent before.
  expect(await spent()).toBe(400);
});
