import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../fakes/clock.ts';
import { startStage } from './stage.ts';
import { cookieOf, rawStatus, Visitor } from './visitor.ts';

const token = 'a token of thirty-two characters';

function logIn(url: string, given: string): Promise<Response> {
  return fetch(`${url}/console/session`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token: given }),
  });
}

describe('a console without a token', () => {
  it('answers to the names of loopback alone, so that no foreign name can be pointed at it', async () => {
    const stage = await startStage();
    const { cookie } = await stage.visit();
    const { port } = new URL(stage.url);
    const status = (host: string) => rawStatus(`${stage.url}/console/state?locale=en`, { host, cookie });
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
    expect(await status(`localhost:${port}`)).toBe(200);
    expect(await status(`[::1]:${port}`)).toBe(200);
    expect(await status(`rebound.example:${port}`)).toBe(403);
    expect(await status('127.0.0.1.rebound.example')).toBe(403);
    expect(await rawStatus(stage.url, { host: 'rebound.example' })).toBe(403);
  });

  it('refuses what another site sends or reads, and lets a person follow a link to it', async () => {
    const stage = await startStage();
    const { cookie } = await stage.visit();
    const { host } = new URL(stage.url);
    const state = `${stage.url}/console/state?locale=en`;
    const commands = `${stage.url}/console/commands`;
    const own = { host, cookie, origin: stage.url, 'sec-fetch-site': 'same-origin' };
    // 400: it came through, and its empty body makes no sense.
    expect(await rawStatus(commands, own, 'POST')).toBe(400);
    expect(await rawStatus(commands, { ...own, origin: 'https://evil.example' }, 'POST')).toBe(403);
    expect(await rawStatus(commands, { ...own, origin: 'null' }, 'POST')).toBe(403);
    expect(await rawStatus(commands, { ...own, origin: 'http://127.0.0.1:1' }, 'POST')).toBe(403);
    expect(await rawStatus(commands, { host, cookie, 'sec-fetch-site': 'cross-site' }, 'POST')).toBe(403);
    expect(await rawStatus(state, { host, cookie, 'sec-fetch-site': 'same-site' })).toBe(403);
    const followed = { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(await rawStatus(stage.url, { ...followed, 'sec-fetch-dest': 'document' })).toBe(200);
    expect(await rawStatus(stage.url, { ...followed, 'sec-fetch-dest': 'iframe' })).toBe(403);
  });

  it('gives each browser a session of its own, in a cookie that no script reads and no other site sends', async () => {
    const stage = await startStage();
    const response = await fetch(stage.url);
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Lax/);
    expect(cookie).not.toMatch(/Secure/);
    const again = await fetch(stage.url, { headers: { cookie: cookieOf(response) } });
    expect(again.headers.get('set-cookie')).toBeNull();
    expect(cookieOf(await fetch(stage.url))).not.toBe(cookieOf(response));
    const behindTls = await fetch(stage.url, { headers: { 'x-forwarded-proto': 'https' } });
    expect(behindTls.headers.get('set-cookie')).toMatch(/Secure/);
  });

  it('tells nothing to a request without a session', async () => {
    const stage = await startStage();
    for (const path of ['state?locale=en', 'messages?place=x', 'events?since=0', 'files/x/y', 'nothing']) {
      const response = await fetch(`${stage.url}/console/${path}`);
      expect(response.status, path).toBe(401);
      expect(await response.json()).toEqual({ error: 'log-in' });
    }
  });
});

describe('a console with a token', () => {
  it('asks for it in the language of the browser before anything is shown', async () => {
    const stage = await startStage({ token });
    const english = await fetch(stage.url);
    expect(english.status).toBe(401);
    expect(english.headers.get('set-cookie')).toBeNull();
    expect(await english.text()).toContain('Console token');
    const chinese = await fetch(stage.url, { headers: { 'accept-language': 'zh-TW,en;q=0.5' } });
    expect(await chinese.text()).toContain('控制台令牌');
    const visitor = new Visitor(stage.url, 'troupe_console=abc.def', {});
    expect((await visitor.fetch('state?locale=en')).status).toBe(401);
  });

  it('opens with the token, under any name it is reached by, until the person leaves', async () => {
    const stage = await startStage({ token });
    const entered = await logIn(stage.url, token);
    expect(entered.status).toBe(303);
    const cookie = cookieOf(entered);
    const visitor = new Visitor(stage.url, cookie, {});
    expect((await visitor.state()).loggedIn).toBe(true);
    expect(await rawStatus(stage.url, { host: 'troupe.example', cookie })).toBe(200);
    await stage.restart();
    expect((await visitor.state()).channels.length).toBe(1);
    const left = await visitor.fetch('session', { method: 'DELETE' });
    expect(left.headers.get('set-cookie')).toMatch(/troupe_console=;.*Max-Age=0/);
  });

  it('does not open with another token, nor with a session of another token', async () => {
    const stage = await startStage({ token });
    const wrong = await logIn(stage.url, `${token}x`);
    expect(wrong.headers.get('set-cookie')).toBeNull();
    expect(wrong.headers.get('location')).toBe('../?fault=wrong-token');
    const page = await fetch(`${stage.url}/?fault=wrong-token`);
    expect(await page.text()).toContain('That is not the token.');
    const other = await startStage({ token: 'quite another token of some length' });
    const cookie = cookieOf(await logIn(other.url, 'quite another token of some length'));
    expect((await new Visitor(stage.url, cookie, {}).fetch('state?locale=en')).status).toBe(401);
  });

  it('looks at ten wrong tokens a minute, and says so', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ token, clock });
    for (let attempt = 0; attempt < 10; attempt++) await logIn(stage.url, 'wrong');
    expect((await logIn(stage.url, token)).headers.get('location')).toBe('../?fault=too-many-attempts');
    expect(await (await fetch(`${stage.url}/?fault=too-many-attempts`)).text()).toContain('in a minute');
    await clock.advance(60_001);
    expect((await logIn(stage.url, token)).headers.get('location')).toBe('../');
  });

  it('shows nothing of a fault that it does not know', async () => {
    const stage = await startStage({ token });
    const page = await fetch(`${stage.url}/?fault=${encodeURIComponent('<script>alert(1)</script>')}`);
    expect(await page.text()).not.toContain('alert(1)');
    const inherited = await fetch(`${stage.url}/?fault=constructor`);
    expect(await inherited.text()).not.toContain('role="alert"');
  });
});
