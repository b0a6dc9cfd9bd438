import { describe, expect, it } from 'vitest';
import { startScene } from './scene.ts';

const json = { content: 'x' };

describe('rate limits (topics/rate-limits)', () => {
  it('count by bucket and channel, tell so in the headers, and refuse with 429', async () => {
    const scene = await startScene();
    const send = () => scene.api('POST', `/channels/${scene.channel.id}/messages`, { json });
    const remaining: (string | null)[] = [];
    for (let index = 0; index < 5; index++)
      remaining.push((await send()).headers.get('x-ratelimit-remaining'));
    expect(remaining).toEqual(['4', '3', '2', '1', '0']);
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ retry_after: 5, global: false });
    expect(refused.headers.get('x-ratelimit-scope')).toBe('user');
    expect(refused.headers.get('retry-after')).toBe('5');
    const elsewhere = scene.discord.world.addChannel(scene.guild, 'other');
    expect((await scene.api('POST', `/channels/${elsewhere.id}/messages`, { json })).status).toBe(200);
    await scene.clock.advance(5000);
    expect((await send()).status).toBe(200);
  });

  it('count edits of a channel’s messages apart from its posts and from typing, told by the same header', async () => {
    const scene = await startScene();
    const path = `/channels/${scene.channel.id}/messages`;
    const [first] = await Promise.all(Array.from({ length: 5 }, () => scene.api('POST', path, { json })));
    expect((await scene.api('POST', path, { json })).status).toBe(429);
    const edited = await scene.api('PATCH', `${path}/${first?.body.id}`, { json });
    expect([edited.status, edited.headers.get('x-ratelimit-remaining')]).toEqual([200, '4']);
    const bucket = 'x-ratelimit-bucket';
    expect(edited.headers.get(bucket)).toBe(first?.headers.get(bucket));
    const typed = await scene.api('POST', `/channels/${scene.channel.id}/typing`);
    expect([typed.status, typed.headers.get('x-ratelimit-remaining')]).toEqual([204, '4']);
    expect(typed.headers.get(bucket)).not.toBe(first?.headers.get(bucket));
  });

  it('give every interaction’s token a bucket of its own, and a channel 30 follow-ups a minute in all', async () => {
    const scene = await startScene();
    const { applicationId } = scene.discord.world;
    const commands = [{ name: 'ask', description: 'Ask' }];
    await scene.api('PUT', `/applications/${applicationId}/commands`, { json: commands });
    /** The path of the messages of another interaction, which is answered. */
    const answered = async () => {
      const { id, token } = scene.ada.types(scene.channel, { name: 'ask' });
      await scene.api('POST', `/interactions/${id}/${token}/callback`, { json: { type: 4, data: json } });
      return `/webhooks/${applicationId}/${token}`;
    };
    const followUps: number[] = [];
    for (let interaction = 0; interaction < 6; interaction++) {
      const path = await answered();
      for (let sent = 0; sent < 5; sent++) followUps.push((await scene.api('POST', path, { json })).status);
      const edited = await scene.api('PATCH', `${path}/messages/@original`, { json });
      expect([edited.status, edited.headers.get('x-ratelimit-scope')]).toEqual([429, 'user']);
    }
    expect(followUps).toEqual(Array.from({ length: 30 }, () => 200));
    const path = await answered();
    const refused = await scene.api('POST', path, { json });
    expect([refused.status, refused.headers.get('x-ratelimit-scope')]).toEqual([429, 'shared']);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('4');
    expect((await scene.api('PATCH', `${path}/messages/@original`, { json })).status).toBe(200);
  });

  it('allow the bot 50 requests a second in all, interaction routes aside', async () => {
    const scene = await startScene();
    for (let index = 0; index < 50; index++) {
      const place = scene.discord.world.addChannel(scene.guild, `c${index}`);
      await scene.api('POST', `/channels/${place.id}/messages`, { json });
    }
    const refused = await scene.api('GET', '/users/@me');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-ratelimit-global')).toBe('true');
    expect(refused.body.global).toBe(true);
    expect((await scene.api('POST', '/webhooks/1/unknown', { json })).status).toBe(404);
  });

  it('count 401, 403 and 429 as invalid, but not a shared 429, and ban after 10,000', async () => {
    const scene = await startScene();
    await scene.api('GET', '/users/@me', { token: 'wrong' });
    scene.discord.faults.next('GET /users/@me', { kind: 'rate-limit', seconds: 1, scope: 'shared' });
    await scene.api('GET', '/users/@me');
    expect(scene.discord.rateLimits.invalidRequests).toBe(1);
    for (let index = 0; index < 10_000; index++) scene.discord.rateLimits.countInvalid(403, undefined);
    const banned = await scene.api('GET', '/users/@me');
    expect([banned.status, banned.headers.get('content-type')]).toEqual([403, 'text/html']);
    await scene.clock.advance(600_001);
    expect((await scene.api('GET', '/users/@me')).status).toBe(200);
  });
});

describe('the rest', () => {
  it('refuses a wrong token with 401', async () => {
    const scene = await startScene();
    expect((await scene.api('GET', '/users/@me', { token: 'wrong' })).status).toBe(401);
  });

  it('notes an operation that Discord does not have', async () => {
    const scene = await startScene();
    expect((await scene.api('GET', '/nothing')).status).toBe(404);
    expect(scene.discord.journal.violations).toHaveLength(1);
  });

  it('does the work before it loses the acknowledgement', async () => {
    const scene = await startScene();
    const route = 'POST /channels/{channel_id}/messages';
    scene.discord.faults.next(route, { kind: 'close-after' });
    scene.discord.faults.next(route, { kind: 'error-after', status: 502 });
    scene.discord.faults.next(route, { kind: 'error', status: 503 });
    const send = () => scene.api('POST', `/channels/${scene.channel.id}/messages`, { json });
    await expect(send()).rejects.toThrow();
    expect((await send()).status).toBe(502);
    expect((await send()).status).toBe(503);
    expect(scene.discord.messagesIn(scene.channel)).toHaveLength(2);
  });
});
