import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../fakes/clock.ts';
import { startStage } from '../support/stage.ts';
import { cookieOf, enteredBy, keyHeaderOf, rawStatus, Visitor } from '../support/visitor.ts';

const token = 'a token of thirty-two characters';

/** The status line of the answer to a request that is sent as it is written. */
async function firstLine(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`${request}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString('latin1').split('\r\n')[0] ?? '';
}

function logIn(url: string, given: string): Promise<Response> {
  return fetch(`${url}/console/session`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token: given }),
  });
}

describe('a console without a token', () => {
  it('answers only to loopback names, against DNS rebinding', async () => {
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
  });

  it.each([
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'x-forwarded-anything',
    'Forwarded',
    'Via',
    'X-Real-IP',
    'CF-Connecting-IP',
    'CF-Ray',
    'CDN-Loop',
    'True-Client-IP',
    'X-Envoy-External-Address',
    'X-Amzn-Trace-Id',
    'Tailscale-User-Login',
  ])('refuses what a proxy hands on with %s, though the proxy itself is on this machine', async (header) => {
    const stage = await startStage();
    const { cookie } = await stage.visit();
    const { host } = new URL(stage.url);
    const forwarded = { host, cookie, [header]: '203.0.113.9' };
    expect(await rawStatus(stage.url, { host, [header]: 'x' })).toBe(403);
    expect(await rawStatus(`${stage.url}/console/state?locale=en`, forwarded)).toBe(403);
    expect(await rawStatus(`${stage.url}/console/commands`, forwarded, 'POST')).toBe(403);
    expect(await rawStatus(`${stage.url}/console/session`, forwarded, 'POST')).toBe(403);
    expect(await rawStatus(stage.url, { host, [header]: '' })).toBe(403);
  });

  it("refuses what nginx hands on as it comes: HTTP/1.0, under this machine's name, no header more", async () => {
    const stage = await startStage();
    const { cookie } = await stage.visit();
    const { host } = new URL(stage.url);
    const ask = (request: string) => firstLine(stage.url, `${request}\r\nHost: ${host}\r\nCookie: ${cookie}`);
    expect(await ask('GET / HTTP/1.0')).toContain(' 403 ');
    expect(await ask('GET /console/state?locale=en HTTP/1.0\r\nConnection: close')).toContain(' 403 ');
    expect(await ask('POST /console/session HTTP/1.0\r\nConnection: close')).toContain(' 403 ');
    expect(await ask('GET /console/state?locale=en HTTP/1.1\r\nConnection: close')).toContain(' 200 ');
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
    const visitor = enteredBy(stage.url, entered);
    expect((await visitor.state()).loggedIn).toBe(true);
    expect(await rawStatus(stage.url, { host: 'troupe.example', cookie })).toBe(200);
    await stage.restart();
    expect((await visitor.state()).channels.length).toBe(1);
    const left = await visitor.fetch('session', { method: 'DELETE' });
    expect(left.headers.get('set-cookie')).toMatch(/troupe_console=;.*Max-Age=0/);
  });

  it('opens nothing to the cookie alone, which browsers send to every port of the host, nor to another session’s key', async () => {
    const stage = await startStage({ token });
    const [entered, other] = [await logIn(stage.url, token), await logIn(stage.url, token)];
    const own = enteredBy(stage.url, entered);
    const file = await own.upload('a.txt', 'text/plain', Buffer.from('a'));
    const ways = {
      nothing: new Visitor(stage.url, cookieOf(entered), {}),
      'another key': new Visitor(stage.url, cookieOf(entered), keyHeaderOf(other)),
    };
    for (const [way, thief] of Object.entries(ways)) {
      for (const path of ['state?locale=en', 'messages?place=x', 'changes?since=0', 'events?since=0'])
        expect((await thief.fetch(path)).status, `${way}: ${path}`).toBe(401);
      for (const path of ['commands', 'presses', 'channels', 'files?name=a&type=b'])
        expect((await thief.fetch(path, { method: 'POST', body: '{}' })).status, `${way}: ${path}`).toBe(401);
      // Without its key a page asks for the token again, rather than loading for ever.
      expect((await fetch(`${stage.url}/?log-in`, { headers: { cookie: thief.cookie } })).status).toBe(401);
    }
    // Images and players send no key; nobody guesses a file's id.
    expect((await ways.nothing.fetch(`files/${file.id}/a.txt`)).status).toBe(200);
    const key = keyHeaderOf(entered)['x-console-key'];
    const stream = await ways.nothing.fetch(`events?since=0&key=${key}`);
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  it('does not open with another token, nor with a session of another token', async () => {
    const stage = await startStage({ token });
    const wrong = await logIn(stage.url, `${token}x`);
    expect(wrong.headers.get('set-cookie')).toBeNull();
    expect(wrong.headers.get('location')).toBe('../?fault=wrong-token');
    const page = await fetch(`${stage.url}/?fault=wrong-token`);
    expect(await page.text()).toContain('That isn’t the token.');
    const other = await startStage({ token: 'quite another token of some length' });
    const entered = await logIn(other.url, 'quite another token of some length');
    expect((await enteredBy(stage.url, entered).fetch('state?locale=en')).status).toBe(401);
  });

  it('takes ten wrong tokens a minute from an address and says so, and the right one always', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ token, clock });
    const location = async (given: string) => (await logIn(stage.url, given)).headers.get('location');
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await location('wrong')).toBe('../?fault=wrong-token');
    }
    expect(await location('wrong')).toBe('../?fault=too-many-attempts');
    expect(await (await fetch(`${stage.url}/?fault=too-many-attempts`)).text()).toContain('in a minute');
    expect(await location(token)).toMatch(/^\.\.\/#key=/);
    expect(stage.logged.filter((line) => line.includes('too many wrong tokens'))).toHaveLength(1);
    expect(stage.logged.join()).not.toContain('"wrong"');
    await clock.advance(60_001);
    expect(await location('wrong')).toBe('../?fault=wrong-token');
  });

  it('logs wrong tokens at most once a minute', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ token, clock });
    for (let second = 0; second < 180; second++) {
      await logIn(stage.url, 'wrong');
      await clock.advance(1_000);
    }
    expect(stage.logged.filter((line) => line.includes('too many wrong tokens'))).toHaveLength(3);
    expect(stage.logged).toHaveLength(3);
  });

  it('opens through a proxy, in a cookie that comes back over TLS alone', async () => {
    const stage = await startStage({ token });
    const { host } = new URL(stage.url);
    const entered = await fetch(`${stage.url}/console/session`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' },
      body: new URLSearchParams({ token }),
    });
    expect(entered.headers.get('set-cookie')).toMatch(/; Secure/);
    const handedOn = {
      ...{ host, cookie: cookieOf(entered), ...keyHeaderOf(entered) },
      'x-forwarded-for': '203.0.113.9',
    };
    expect(await rawStatus(`${stage.url}/console/state?locale=en`, handedOn)).toBe(200);
  });

  it('closes for good to a session that was left: its cookie opens nothing, its stream ends', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ token, clock });
    const enter = async () => enteredBy(stage.url, await logIn(stage.url, token));
    const leaver = await enter();
    const other = await enter();
    const stream = await leaver.fetch('events?since=0');
    expect((await leaver.fetch('session', { method: 'DELETE' })).status).toBe(204);
    expect(await stream.text()).toContain('event: hello');
    expect((await leaver.fetch('state?locale=en')).status).toBe(401);
    expect((await fetch(stage.url, { headers: { cookie: leaver.cookie } })).status).toBe(401);
    await stage.restart();
    expect((await leaver.fetch('state?locale=en')).status).toBe(401);
    expect((await leaver.fetch('session', { method: 'DELETE' })).status).toBe(204);
    expect((await other.state()).loggedIn).toBe(true);
    await clock.advance(29 * 86_400_000);
    expect((await leaver.fetch('state?locale=en')).status).toBe(401);
  });

  it('closes to it in every process: a stream that another one serves ends, too', async () => {
    const stage = await startStage({ token, clock: new FakeClock(), twice: true });
    const entered = await logIn(stage.url, token);
    const leaver = enteredBy(stage.url, entered);
    const elsewhere = enteredBy(await stage.another(), entered);
    const stream = await elsewhere.fetch('events?since=0');
    expect((await leaver.fetch('session', { method: 'DELETE' })).status).toBe(204);
    expect(await stream.text()).toContain('event: hello');
    expect((await elsewhere.fetch('state?locale=en')).status).toBe(401);
  });

  it('closes after thirty days without a visit to the page; a visit renews the cookie, not the session', async () => {
    const clock = new FakeClock();
    const stage = await startStage({ token, clock });
    const entered = await logIn(stage.url, token);
    expect(entered.headers.get('set-cookie')).toContain(`Max-Age=${30 * 86_400}`);
    const first = enteredBy(stage.url, entered);
    const page = () => fetch(stage.url, { headers: { cookie: first.cookie } });
    expect((await page()).headers.get('set-cookie')).toBeNull();
    await clock.advance(29 * 86_400_000);
    const renewed = enteredBy(stage.url, entered, cookieOf(await page()));
    expect(renewed.cookie).not.toBe(first.cookie);
    await clock.advance(2 * 86_400_000);
    expect((await first.fetch('state?locale=en')).status).toBe(401);
    expect((await renewed.fetch('state?locale=en')).status).toBe(200);
    await renewed.fetch('session', { method: 'DELETE' });
    expect((await renewed.fetch('state?locale=en')).status).toBe(401);
  });

  it('takes no cookie that was made elsewhere, or changed', async () => {
    const stage = await startStage({ token });
    const entered = await logIn(stage.url, token);
    const [name = '', id = '', issued = '', signature = ''] = cookieOf(entered).split(/[=.]/);
    for (const forged of [
      `${name}=${id}.${issued}`,
      `${name}=${id}.${issued}.`,
      `${name}=${id}.zzzzzzzz.${signature}`,
      `${name}=x${id}.${issued}.${signature}`,
      `${name}=${id}.${issued}.${signature}x`,
      `${name}=..`,
    ]) {
      const visitor = enteredBy(stage.url, entered, forged);
      expect((await visitor.fetch('state?locale=en')).status, forged).toBe(401);
    }
  });

  it.each([
    ['without a boundary', 'multipart/form-data', 'x'],
    [
      'that ends in the middle',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; na',
    ],
    ['of no known type', 'application/json', '{"token":'],
  ])('answers a log-in form %s as a bad request, without logging it', async (_, type, body) => {
    const stage = await startStage({ token });
    const answer = await fetch(`${stage.url}/console/session`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': type },
      body,
    });
    expect([400, 303]).toContain(answer.status);
    if (type.startsWith('multipart')) expect(await answer.json()).toEqual({ error: 'bad-request' });
    expect(stage.logged).toEqual([]);
  });

  it('shows nothing of a fault that it does not know', async () => {
    const stage = await startStage({ token });
    const page = await fetch(`${stage.url}/?fault=${encodeURIComponent('<script>alert(1)</script>')}`);
    expect(await page.text()).not.toContain('alert(1)');
    const inherited = await fetch(`${stage.url}/?fault=constructor`);
    expect(await inherited.text()).not.toContain('role="alert"');
  });
});
