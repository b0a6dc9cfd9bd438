import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { endsWithTest } from '../../../at-end.ts';
import type { GatewaySession } from '../gateway/gateway-session.ts';
import { type Scene, startScene } from './scene.ts';

/** What an application's server makes of a request. */
type Answer = (body: string, request: IncomingMessage) => { status: number; json?: object };

async function serve(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { status, json } = answer(body, request);
    response.writeHead(status, json && { 'content-type': 'application/json' });
    response.end(json && JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endsWithTest(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/interactions`;
}

const pong = { status: 200, json: { type: 1 } };
const commands = [{ name: 'ask', description: 'Ask' }];

/** A scene whose interactions go to a server that checks nothing: the portal would never have taken it. */
async function careless(answer: Answer): Promise<Scene> {
  const scene = await startScene();
  await scene.api('PUT', `/applications/${scene.discord.world.applicationId}/commands`, { json: commands });
  scene.discord.world.interactionsEndpoint = await serve(answer);
  return scene;
}

const delivered = ({ discord }: Scene) =>
  discord.until('the answer', () => discord.endpoint.deliveries.find(({ status }) => status !== 0));
const callback = ({ api }: Scene, { id, token }: { id: string; token: string }) =>
  api('POST', `/interactions/${id}/${token}/callback`, { json: { type: 5 } });

describe('an Interactions Endpoint URL', () => {
  it('is saved only if a PING is answered with its like', async () => {
    const { discord } = await startScene();
    const url = await serve(() => ({ status: 200, json: { type: 2 } }));
    await expect(discord.endpoint.save(url)).rejects.toThrow('could not be verified: a PING');
    expect(discord.world.interactionsEndpoint).toBeNull();
  });

  it('is saved only if forged requests are refused with 401', async () => {
    const { discord } = await startScene();
    await expect(discord.endpoint.save(await serve(() => pong))).rejects.toThrow('a wrong signature');
    const refusing = await serve((_, { headers }) =>
      headers['x-signature-ed25519'] === undefined ? { status: 400 } : pong,
    );
    await expect(discord.endpoint.save(refusing)).rejects.toThrow('could not be verified');
  });

  it('is removed if a later check finds that they are taken', async () => {
    const scene = await careless(() => pong);
    await scene.discord.endpoint.check();
    expect(scene.discord.world.interactionsEndpoint).toBeNull();
    expect(scene.discord.endpoint.removedFor).toContain('a wrong signature');
    expect(scene.discord.journal.violations).toHaveLength(1);
  });

  it('gets all interactions, and the gateway none', async () => {
    const scene = await careless(() => ({ status: 202 }));
    const sent: string[] = [];
    const connected = { offer: (name: string) => void sent.push(name) } as unknown as GatewaySession;
    scene.discord.gateway.sessions.set('a bot', connected);
    const { id } = scene.ada.types(scene.channel, { name: 'ask' });
    expect((await delivered(scene)).interactionId).toBe(id);
    scene.discord.gateway.sessions.delete('a bot');
    expect(sent).toEqual([]);
  });

  it('is answered within three seconds, or not at all', async () => {
    const scene = await careless(() => ({ status: 202 }));
    const interaction = scene.ada.types(scene.channel, { name: 'ask' });
    await delivered(scene);
    await scene.clock.advance(3_001);
    expect((await callback(scene, interaction)).body.code).toBe(10062);
  });
});

describe('an interaction over HTTP', () => {
  it('is acknowledged by its response', async () => {
    const scene = await careless(() => ({ status: 200, json: { type: 5 } }));
    const interaction = scene.ada.types(scene.channel, { name: 'ask' });
    await delivered(scene);
    expect(interaction.acknowledgement).toBe('deferred');
    expect(scene.discord.journal.violations).toEqual([]);
  });

  it('is acknowledged by a callback and a 202 without a body', async () => {
    const scene = await careless(() => ({ status: 202 }));
    const interaction = scene.ada.types(scene.channel, { name: 'ask' });
    expect((await callback(scene, interaction)).status).toBe(204);
    await delivered(scene);
    expect(scene.discord.journal.violations).toEqual([]);
  });

  it.each([
    ['a 202 has no body', { status: 202, json: { type: 5 } }],
    ['callback', { status: 200 }],
    ['50035', { status: 200, json: { type: 7, data: { content: 'x' } } }],
  ])('is not answered so: %s', async (fault, answer) => {
    const scene = await careless(() => answer);
    const interaction = scene.ada.types(scene.channel, { name: 'ask' });
    await delivered(scene);
    expect(scene.discord.journal.violations.join()).toContain(fault);
    expect(interaction.acknowledgement).toBeUndefined();
  });

  it('is answered once: by its response or by a callback', async () => {
    const first = await careless(() => ({ status: 200, json: { type: 5 } }));
    const answered = first.ada.types(first.channel, { name: 'ask' });
    await delivered(first);
    expect((await callback(first, answered)).body.code).toBe(40060);
    const { promise, resolve } = Promise.withResolvers<void>();
    const second = await startScene();
    await second.api('PUT', `/applications/${second.discord.world.applicationId}/commands`, {
      json: commands,
    });
    const server = createServer(async (request, response) => {
      for await (const _ of request);
      await promise;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"type":5}');
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    endsWithTest(() => server.close());
    second.discord.world.interactionsEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const twice = second.ada.types(second.channel, { name: 'ask' });
    expect((await callback(second, twice)).status).toBe(204);
    resolve();
    await delivered(second);
    expect(second.discord.journal.violations.join()).toContain('40060');
  });

  it('may not be answered by a callback, as the documentation can be read', async () => {
    const scene = await careless(() => ({ status: 202 }));
    scene.discord.world.readings.callbackByHttp = 'refused';
    const interaction = scene.ada.types(scene.channel, { name: 'ask' });
    expect((await callback(scene, interaction)).body.code).toBe(10062);
  });

  it('may have an unknown token right after its response', async () => {
    const scene = await careless(() => ({ status: 200, json: { type: 5 } }));
    const { token } = scene.ada.types(scene.channel, { name: 'ask' });
    await delivered(scene);
    const path = `/webhooks/${scene.discord.world.applicationId}/${token}/messages/@original`;
    const edit = () => scene.api('PATCH', path, { json: { content: 'x' } });
    expect((await edit()).body.code).toBe(10015);
    expect((await edit()).body.code).toBe(10015);
    expect((await edit()).status).toBe(200);
  });
});
