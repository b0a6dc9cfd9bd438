import { describe, expect, it } from 'vitest';
import { startStage } from './support/stage.ts';

describe('the page', () => {
  it('comes with a policy that lets nothing run or load but its own files', async () => {
    const stage = await startStage();
    const response = await fetch(stage.url);
    expect(response.status).toBe(200);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('x-dns-prefetch-control')).toBe('off');
    expect(response.headers.get('referrer-policy')).toBe('same-origin');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('names only files of its own, which are there, as JavaScript and styles without types', async () => {
    const stage = await startStage();
    const html = await (await fetch(stage.url)).text();
    const addresses = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses.length).toBeGreaterThan(20);
    expect(addresses.filter((address) => !address.startsWith('console/page/'))).toEqual([]);
    expect(html).not.toMatch(/<script(?![^>]*src=)|\son\w+=|style=/);
    for (const address of addresses) {
      const response = await fetch(`${stage.url}/${address}`);
      expect(response.status, address).toBe(200);
      expect(response.headers.get('cache-control')).toContain('immutable');
      const type = response.headers.get('content-type');
      if (address.endsWith('.ts')) expect(type).toBe('text/javascript; charset=utf-8');
      if (address.endsWith('.css')) expect(type).toBe('text/css; charset=utf-8');
    }
    const main = await (
      await fetch(`${stage.url}/${addresses.find((one) => one.endsWith('/main.ts'))}`)
    ).text();
    expect(main).toContain('async function start()');
    expect(main).not.toContain('Promise<void>');
  });

  it('serves every module that one of its modules imports', async () => {
    const stage = await startStage();
    const html = await (await fetch(stage.url)).text();
    const modules = [...html.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(
      ([, address]) => `${stage.url}/${address}`,
    );
    expect(modules.length).toBeGreaterThan(20);
    for (const module of modules) {
      const source = await (await fetch(module)).text();
      for (const [, path = ''] of source.matchAll(/\bfrom\s+'([^']+)'/g))
        expect(modules, `${path} in ${module}`).toContain(new URL(path, module).href);
    }
  });

  it('serves one version of its files, and nothing outside of them', async () => {
    const stage = await startStage();
    const html = await (await fetch(stage.url)).text();
    const version = /name="version" content="([^"]+)"/.exec(html)?.[1];
    const status = async (path: string) => (await fetch(`${stage.url}/console/page/${path}`)).status;
    const page = 'platforms/console/page';
    expect(await status(`${version}/${page}/main.ts`)).toBe(200);
    expect(await status(`another/${page}/main.ts`)).toBe(404);
    expect(await status(`${version}/${page}/tsconfig.json`)).toBe(404);
    expect(await status(`${version}/${page}/..%2fstart.ts`)).toBe(404);
    expect(await status(`${version}/main.ts`)).toBe(404);
    expect(await status(`${version}/port/commands/command.ts`)).toBe(404);
    expect(await status(`${version}/%`)).toBe(404);
  });

  it('is sent compressed to a browser that takes that', async () => {
    const stage = await startStage();
    const html = await (await fetch(stage.url)).text();
    const address = /src="([^"]+main\.ts)"/.exec(html)?.[1];
    const packed = await fetch(`${stage.url}/${address}`, { headers: { 'accept-encoding': 'gzip' } });
    const plain = await fetch(`${stage.url}/${address}`, { headers: { 'accept-encoding': 'identity' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await packed.text()).toBe(await plain.text());
  });

  it('starts with the state: channels, and commands in the requested language', async () => {
    const { echo } = await import('./support/commands.ts');
    const stage = await startStage({ commands: [echo] });
    const visitor = await stage.visit();
    const state = await visitor.state();
    expect(state.channels.map(({ name }) => name)).toEqual(['general']);
    expect(state.commands[0]).toMatchObject({
      name: 'echo',
      description: 'Says it again',
      textOption: 'words',
      options: [
        { name: 'words', type: 'text', required: true, maxCharacters: 200 },
        { name: 'size', type: 'choice', required: false, choices: ['small', 'large'] },
        { name: 'times', type: 'integer', min: 1, max: 3 },
        { name: 'voice', type: 'text', suggests: true },
      ],
    });
    const chinese = await visitor.json<typeof state>('state?locale=zh-CN');
    expect(chinese.commands[0]?.description).toBe('Says it again（中文）');
  });
});
