import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../fakes/clock.ts';
import { isFields } from '../../../fakes/discord/http/fields.ts';
import { refusals } from '../../../fakes/discord/index.ts';
import { echo, echoed, testCommands } from '../support/commands.ts';
import { answered, asks, streamingAsk } from '../support/live-command.ts';
import { type Stage, startStage } from '../support/stage.ts';

const acknowledge = 'POST /interactions/{interaction_id}/{interaction_token}/callback';

const said = ({ discord, channel }: Stage) =>
  discord.until('the answer', () => discord.messagesIn(channel).find(({ content }) => content !== ''));
const delivered = ({ discord }: Stage, count = 1) =>
  discord.until('the deliveries', () => {
    const { deliveries } = discord.endpoint;
    return deliveries.length >= count && deliveries.every(({ status }) => status !== 0) && deliveries;
  });
const url = ({ discord }: Stage) => discord.world.interactionsEndpoint ?? '';
/** Sends a body as Discord would. */
const sends = (stage: Stage, body: string) =>
  fetch(url(stage), { method: 'POST', ...stage.discord.endpoint.signed(body) });

describe('interactions over HTTP', () => {
  it('are all handled without a gateway', async () => {
    const stage = await startStage({ commands: testCommands, http: true });
    const { discord, ada, channel } = stage;
    const typed = ada.types(channel, { name: 'echo', options: { text: 'hello' } });
    const message = await said(stage);
    expect(message).toMatchObject({ content: 'ada: hello', id: typed.responseMessageId });
    const typing = ada.completes(channel, 'echo', 'tone', 'al');
    expect(await discord.until('choices', () => typing.choices)).toEqual([{ name: 'ALPHA', value: 'alpha' }]);
    ada.submits(await discord.opened(ada.presses(message, 'Change')), { text: 'second', loud: 'false' });
    await discord.until('the second answer', () =>
      discord.messagesIn(channel).find(({ content }) => content.includes('ada: second')),
    );
    const deliveries = await delivered(stage, 4);
    expect(deliveries.map(({ status, body }) => [status, body])).toEqual([
      [202, ''],
      [200, expect.stringContaining('ALPHA')],
      [202, ''],
      [202, ''],
    ]);
    expect(discord.gateway.identifyCount).toBe(0);
  });

  it('work in direct messages and where only a person installed the bot', async () => {
    const stage = await startStage({
      commands: testCommands,
      http: true,
      before: ({ world }) =>
        void world.addGuild({
          name: 'Other',
          owner: world.addUser('x'),
          permissions: -1n & 0x1ffffffffffffn,
          hasBot: false,
        }),
    });
    const { discord, ada } = stage;
    await echoed(stage, 'direct', ada.direct());
    const other = [...discord.world.guilds.values()].find(({ name }) => name === 'Other')!;
    discord.world.addMember(other, ada.user);
    await echoed(stage, 'there', discord.world.addChannel(other, 'elsewhere'));
    // A server that the bot isn't in isn't asked for.
    expect(discord.journal.to('GET /guilds/{guild_id}')).toEqual([]);
  });

  it('ask for a server once in five minutes', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands: testCommands, http: true, clock });
    const { discord } = stage;
    await echoed(stage, 'one');
    await echoed(stage, 'two');
    expect(discord.journal.to('GET /guilds/{guild_id}')).toHaveLength(1);
    await clock.advance(300_001);
    await echoed(stage, 'three');
    expect(discord.journal.to('GET /guilds/{guild_id}')).toHaveLength(2);
  });

  it('are answered although a server can’t be asked for', async () => {
    const stage = await startStage({ commands: testCommands, http: true });
    const { discord } = stage;
    discord.faults.next('GET /guilds/{guild_id}/channels', { kind: 'error', status: 500 }, 20);
    expect((await echoed(stage, 'hello')).content).toBe('ada: hello');
  });

  it('that arrive twice are handled once', async () => {
    const stage = await startStage({ commands: testCommands, http: true });
    const { discord, ada, channel } = stage;
    discord.endpoint.repeats = 2;
    ada.types(channel, { name: 'echo', options: { text: 'once' } });
    await said(stage);
    expect((await delivered(stage, 3)).map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(discord.messagesIn(channel)).toHaveLength(1);
    expect(discord.journal.to(acknowledge)).toHaveLength(1);
  });

  // `bot` is optional (resources/application), and bots of before 2017 have another id than their applications.
  it('leave mentions answered where the application doesn’t say which user is its bot', async () => {
    const stage = await startStage({
      commands: [streamingAsk],
      http: true,
      shards: 'auto',
      before: ({ http, world }) => {
        Object.assign(world, { applicationId: '1000000000000000001' });
        http.spoil = (body) => {
          if (!isFields(body) || !('verify_key' in body)) return body;
          const { bot: _, ...application } = body;
          return application;
        };
      },
    });
    asks(stage, 'hello');
    await answered(stage, 'hello');
  });

  it('are answered in the response if Discord takes no callback for them', async () => {
    const stage = await startStage({
      commands: testCommands,
      http: true,
      readings: { callbackByHttp: 'refused' },
    });
    const { discord, ada, channel } = stage;
    const typed = ada.types(channel, { name: 'echo', options: { text: 'hello' } });
    const message = await said(stage);
    expect(message).toMatchObject({ content: 'ada: hello', id: typed.responseMessageId });
    const typing = ada.completes(channel, 'echo', 'tone', 'al');
    await discord.until('choices', () => typing.choices);
    await discord.opened(ada.presses(message, 'Change'));
  });

  it.each([
    ['the callback can’t get through', refusals.cloudflare],
    ['what stands in for Discord has no callbacks', refusals.noSuchRoute],
  ])('are answered in the response if %s', async (_, refusal) => {
    const stage = await startStage({ commands: testCommands, http: true });
    const { discord, ada, channel } = stage;
    discord.faults.next(acknowledge, { kind: 'refuse', refusal: refusal() });
    const typed = ada.types(channel, { name: 'echo', options: { text: 'hello' } });
    expect((await said(stage)).id).toBe(typed.responseMessageId);
  });

  it('get the plain form if Discord refuses the other', async () => {
    const stage = await startStage({
      commands: [echo],
      http: true,
      readings: { formBoxes: 'refused' },
    });
    const { discord, ada } = stage;
    const pressed = ada.presses(await echoed(stage, 'first'), 'Change');
    const form = await discord.until('the form', () => pressed.modal);
    expect(JSON.stringify(form)).toContain('"value":"first"');
  });

  it('that wait are answered before the bot stops', async () => {
    const stage = await startStage({ commands: testCommands, http: true });
    const { discord, ada, channel, platform } = stage;
    const resolve = discord.faults.hold(acknowledge);
    ada.types(channel, { name: 'echo', options: { text: 'hello' } });
    await discord.until('the request', () => discord.faults.left(acknowledge) === 0);
    const stopped = platform.stopReceiving();
    expect((await sends(stage, '{"id":"1","type":2}')).status).toBe(503);
    resolve();
    await stopped;
    expect((await delivered(stage))[0]?.status).toBe(202);
    expect((await said(stage)).content).toBe('ada: hello');
  });

  it('that Discord doesn’t get an answer to in time are given up', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands: testCommands, http: true, clock });
    const { discord, ada, channel } = stage;
    const resolve = discord.faults.hold(acknowledge);
    ada.types(channel, { name: 'echo', options: { text: 'hello' } });
    await discord.until('the request', () => discord.faults.left(acknowledge) === 0);
    await clock.advance(2_900);
    expect((await delivered(stage))[0]?.status).toBe(202);
    resolve();
  });
});

describe('requests that aren’t Discord’s', () => {
  it('are refused with 401, now and at any time, and told the log once a minute', async () => {
    const stage = await startStage({ commands: testCommands, http: true });
    const { discord, logged } = stage;
    await discord.endpoint.check();
    expect(discord.endpoint.removedFor).toBeUndefined();
    const lines = logged.filter((line) => /was refused/.test(line));
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toMatch(/[0-9a-f]{64}/);
  });

  it('are refused for their size before they are looked at', async () => {
    const stage = await startStage({ commands: testCommands, http: true });
    const body = 'x'.repeat(1024 ** 2 + 1);
    expect((await sends(stage, body)).status).toBe(413);
  });

  it.each(['', 'null', '{', '[]', '{"type":"2","id":"1"}', '{"type":2}'])(
    'signed or not, %j is no interaction',
    async (body) => {
      const stage = await startStage({ commands: testCommands, http: true });
      expect((await sends(stage, body)).status).toBe(400);
    },
  );

  it('an interaction that can’t be read ends with a 500, and the next one is handled', async () => {
    const stage = await startStage({ commands: testCommands, http: true });
    expect((await sends(stage, '{"type":2,"id":"1"}')).status).toBe(500);
    expect((await echoed(stage, 'hello')).content).toBe('ada: hello');
  });
});

describe('a request of Discord’s that somebody sends again', () => {
  /** What Discord sent, caught on its way. */
  async function caught(stage: Stage): Promise<RequestInit> {
    const { promise, resolve } = Promise.withResolvers<RequestInit>();
    const { endpoint } = stage.discord;
    const signed = endpoint.signed.bind(endpoint);
    endpoint.signed = (...request) => {
      const sent = signed(...request);
      resolve({ method: 'POST', ...sent });
      return sent;
    };
    stage.ada.types(stage.channel, { name: 'echo', options: { text: 'once' } });
    const sent = await promise;
    endpoint.signed = signed;
    await said(stage);
    return sent;
  }
  const post = async (stage: Stage, sent: RequestInit) => (await fetch(url(stage), sent)).status;

  it('does nothing within its time, also after a restart', async () => {
    const stage = await startStage({ commands: testCommands, http: true });
    const { discord, channel } = stage;
    const sent = await caught(stage);
    expect(await post(stage, sent)).toBe(202);
    await stage.restart();
    expect(await post(stage, sent)).toBe(202);
    expect(discord.messagesIn(channel).map(({ content }) => content)).toEqual(['ada: once']);
    expect(discord.journal.to(acknowledge)).toHaveLength(1);
  });

  it('is refused once it’s old', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ commands: testCommands, http: true, clock });
    const sent = await caught(stage);
    await clock.advance(15 * 60_000 - 2_000);
    expect(await post(stage, sent)).toBe(202);
    await clock.advance(4_000);
    expect(await post(stage, sent)).toBe(401);
    expect(stage.discord.messagesIn(stage.channel)).toHaveLength(1);
  });
});

describe('a request in a form that Discord never sends', () => {
  const signedWith = (signature: string, time = '1') => ({
    headers: { 'x-signature-ed25519': signature, 'x-signature-timestamp': time },
  });
  it.each([
    ['nothing at all', {}, 401],
    ['no headers but a body', { body: '{"type":1}' }, 401],
    ['a signature that’s too short', signedWith('ab'), 401],
    ['a signature that’s too long', signedWith('ab'.repeat(65)), 401],
    ['a point that’s not on the curve', signedWith('ff'.repeat(64)), 401],
    ['a timestamp that’s no number', signedWith('00'.repeat(64), 'NaN'), 401],
    ['another method', { method: 'PUT' }, 404],
    ['a path below', { path: '/more' }, 404],
  ] as const)(
    '%s is refused',
    async (_, { path = '', ...request }: RequestInit & { path?: string }, expected) => {
      const stage = await startStage({ commands: testCommands, http: true });
      const { status } = await fetch(url(stage) + path, { method: 'POST', ...request });
      expect(status).toBe(expected);
      await stage.discord.endpoint.check();
      expect(stage.discord.endpoint.removedFor).toBeUndefined();
    },
  );

  it('with another content type is read all the same: its signature says whose it is', async () => {
    const stage = await startStage({ commands: testCommands, http: true });
    const { body, headers } = stage.discord.endpoint.signed('{"type":1,"id":"1"}');
    const answer = await fetch(url(stage), {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'text/plain' },
    });
    expect([answer.status, await answer.json()]).toEqual([200, { type: 1 }]);
  });

  it('without an end is cut off, and others are answered meanwhile', async () => {
    const stage = await startStage({ commands: testCommands, http: true });
    const chunk = new Uint8Array(64 * 1024);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += chunk.byteLength;
        controller.enqueue(chunk);
      },
    });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
    const status = await fetch(url(stage), init).then(
      (answer) => answer.status,
      () => 'cut off',
    );
    expect([413, 'cut off']).toContain(status);
    expect(sent).toBeLessThan(8 * 1024 ** 2);
    expect((await echoed(stage, 'hello')).content).toBe('ada: hello');
  });
});

describe('suggestions over HTTP', () => {
  it('don’t wait behind commands, or for the database, which has nothing of them', async () => {
    const stage = await startStage({ commands: testCommands, http: true });
    const { discord, ada, channel, database } = stage;
    // Commands of the same person wait for Discord as long as the test lasts.
    const resolve = discord.faults.hold(acknowledge, 20);
    for (let count = 0; count < 20; count++)
      ada.types(channel, { name: 'echo', options: { text: `${count}` } });
    await discord.until('the commands', () => discord.faults.left(acknowledge) === 0);
    const rows = async () => (await database.selectFrom('keyv').select('key').execute()).length;
    const before = await rows();
    const typing = Array.from({ length: 200 }, () => ada.completes(channel, 'echo', 'tone', 'al'));
    await discord.until('all suggestions', () => typing.every(({ choices }) => choices));
    expect(await rows()).toBe(before);
    expect(await database.selectFrom('jobs').select('id').execute()).toHaveLength(20);
    resolve();
    await discord.until(
      'the answers',
      () => discord.messagesIn(channel).filter(({ content }) => content !== '').length === 20,
    );
  });
});

describe('readiness without a gateway', () => {
  it('waits for Discord to say who the bot is', async () => {
    const clock = new FakeClock();
    const stage = await startStage({
      commands: testCommands,
      http: true,
      clock,
      connected: false,
      before: ({ faults }) => faults.next('GET /applications/@me', { kind: 'page', status: 403 }),
    });
    const { discord, platform } = stage;
    await discord.until('the failure', () => /unreachable/.test(platform.notReady() ?? ''));
    await clock.advance(1_500);
    await discord.until('readiness', () => platform.notReady() === undefined);
  });

  it('says that the key is another application’s', async () => {
    const stage = await startStage({
      commands: testCommands,
      http: true,
      connected: false,
      before: ({ world }) => {
        world.verifyKey = 'f'.repeat(64);
      },
    });
    const { discord, platform } = stage;
    await discord.until('the reason', () => /DISCORD_PUBLIC_KEY/.test(platform.notReady() ?? ''));
  });
});

describe('a server, without a gateway', () => {
  it('that was just joined is told what the bot can do after the first command there', async () => {
    const stage = await startStage({
      commands: testCommands,
      http: true,
      before: ({ world }) => {
        for (const guild of world.guilds.values())
          world.addBot(guild, { permissions: 0n, joinedAt: world.clock.now() - 60_000 });
      },
    });
    const { discord, ada, channel } = stage;
    ada.types(channel, { name: 'echo', options: { text: 'hello' } });
    await discord.until('the introduction', () =>
      discord.messagesIn(channel).find(({ content }) => content.includes(`<@${discord.world.bot.id}>`)),
    );
  });

  it('that isn’t in ALLOWED_GUILDS is refused a command, and left', async () => {
    const stage = await startStage({ commands: testCommands, http: true, allowedGuilds: () => ['1'] });
    const { discord, ada, channel, guild } = stage;
    ada.types(channel, { name: 'echo', options: { text: 'hello' } });
    const [refusal] = await discord.until('the refusal', () => {
      const hidden = discord.messagesIn(channel, { ephemeral: true }).filter(({ onlyFor }) => onlyFor);
      return hidden.length > 0 && hidden;
    });
    expect(refusal?.onlyFor).toBe(ada.user.id);
    await discord.until('leaving', () => !guild.hasBot);
    expect(discord.messagesIn(channel).some(({ content }) => content.startsWith('ada:'))).toBe(false);
  });
});

describe('interactions over HTTP beside a gateway', () => {
  it('come over HTTP, mentions over the gateway', async () => {
    const stage = await startStage({ commands: testCommands, http: true, shards: 'auto' });
    const { discord } = stage;
    expect((await echoed(stage, 'hello')).content).toBe('ada: hello');
    expect(discord.endpoint.deliveries).toHaveLength(1);
    // The gateway tells about the server.
    expect(discord.journal.to('GET /guilds/{guild_id}')).toEqual([]);
    expect(discord.gateway.identifyCount).toBe(1);
  });
});
