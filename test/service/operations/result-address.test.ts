import { isIP } from 'node:net';
import { Agent } from 'undici';
import { describe, expect, test, vi } from 'vitest';
import {
  isPublicAddress,
  isPublicHost,
  lookupPublic,
  publicAgent,
} from '../../../src/service/http/public-address.ts';
import { placeOf } from '../../../src/service/operations/download.ts';
import { endsWithTest } from '../../at-end.ts';
import { failureOf, stage } from '../support/helpers.ts';

/** What names resolve to, in this order; the system answers for all others. */
const resolved = vi.hoisted(() => new Map<string, readonly { address: string; family: number }[]>());
vi.mock('node:dns', async (original) => {
  const dns = await original<typeof import('node:dns')>();
  const lookup = (...given: unknown[]) => {
    const addresses = resolved.get(String(given[0]));
    if (addresses === undefined) return Reflect.apply(dns.lookup, dns, given);
    const told = given.at(-1) as (error: null, addresses: object) => void;
    setImmediate(() => told(null, addresses));
  };
  return { ...dns, lookup };
});

const at = (url: string) => ({ kind: 'url', url }) as const;

const reaches = { service: 'own', beside: 'beside', named: 'named', public: 'foreign' };

describe('an address', () => {
  const secure = new URL('https://api.example.com/v1');
  const plain = new URL('http://127.0.0.1:8080/v1');

  test.each([
    ['https://api.example.com/x', secure, 'own'],
    ['/x', secure, 'own'],
    ['https://cdn.example.com/x', secure, 'foreign'],
    ['https://api.example.com:8443/x', secure, 'beside'],
    ['http://api.example.com:8080/x', secure, 'not-https'],
    ['https://api.example.com.evil.example/x', secure, 'foreign'],
    ['http://api.example.com/x', secure, 'not-https'],
    ['http://cdn.example.com/x', secure, 'not-https'],
    ['https://192.168.1.1/x', secure, 'private'],
    ['https://[::1]/x', secure, 'private'],
    ['https://[::ffff:10.0.0.1]/x', secure, 'private'],
    ['https://0x7f000001/x', secure, 'private'],
    ['https://2130706433/x', secure, 'private'],
    ['https://metadata.google.internal/x', secure, 'private'],
    ['https://a:b@cdn.example.com/x', secure, 'credentials'],
    ['data:image/png;base64,AAAA', secure, 'unreadable'],
    ['https://', secure, 'unreadable'],
    ['http://127.0.0.1:8080/x', plain, 'own'],
    ['http://127.0.0.1:9090/x', plain, 'beside'],
    ['https://127.0.0.1:8080/x', plain, 'beside'],
    ['http://localhost:8080/x', plain, 'beside'],
    ['http://[::1]:8080/x', plain, 'beside'],
    ['http://localhost:9090/x', plain, 'not-https'],
    ['https://localhost:8080/x', plain, 'private'],
    ['http://127.0.0.1:8080/x', new URL('http://localhost:8080/v1'), 'beside'],
    ['http://127.0.0.2:8080/x', plain, 'not-https'],
    ['http://localhost.evil.example/x', plain, 'not-https'],
    ['https://localhost/x', secure, 'private'],
    ['http://localhost/x', new URL('https://127.0.0.1/v1'), 'not-https'],
    ['ftp://127.0.0.1/x', plain, 'not-https'],
    ['https://cdn.example.com/x', plain, 'foreign'],
    ['https://168.63.129.16/x', secure, 'private'],
    ['https://[fd00:ec2::254]/latest', secure, 'private'],
    ['https://[64:ff9b::a9fe:a9fe]/latest', secure, 'private'],
    ['https://169.254.169.254.nip.internal/', secure, 'private'],
    ['http://store.lan:9000/x', secure, 'named'],
    ['https://STORE.lan:9000/x', secure, 'named'],
    ['http://store.lan/x', secure, 'not-https'],
    ['http://store.lan:90001/x', secure, 'unreadable'],
    ['http://10.1.2.3/x', secure, 'named'],
    ['http://10.1.2.3:8080/x', secure, 'named'],
    ['http://10.1.2.4/x', secure, 'not-https'],
    ['https://10.1.2.4/x', secure, 'private'],
    ['https://[fd00::5]:9000/x', secure, 'named'],
    ['ftp://10.1.2.3/x', secure, 'not-https'],
    ['https://a:b@10.1.2.3/x', secure, 'credentials'],
    ['https://10.1.2.3.example.com/x', secure, 'foreign'],
  ])('%s from %s is %s', (address, base, expected) => {
    const place = placeOf(address, base, { base, hosts: ['store.lan:9000', '10.1.2.3', '[fd00::5]'] });
    const told = 'fault' in place ? place.fault : reaches[place.reach];
    expect(told).toBe(expected);
  });

  test.each([
    ['8.8.8.8', true],
    ['172.15.255.255', true],
    ['172.16.0.0', false],
    ['100.64.0.1', false],
    ['169.254.169.254', false],
    ['0.0.0.0', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['2606:4700:4700::1111', true],
    ['::1', false],
    ['::', false],
    ['fe80::1', false],
    ['fd00::1', false],
    ['168.63.129.16', false],
    ['168.63.129.17', true],
    ['100.100.100.200', false],
    ['192.0.0.192', false],
    ['fd00:ec2::254', false],
    ['fd20:ce::254', false],
    ['64:ff9b:1::1', false],
    ['64:ff9b::808:808', false],
    ['::ffff:169.254.169.254', false],
    ['::169.254.169.254', false],
    ['2001:0:a9fe:a9fe::', false],
    ['5f00::1', false],
    ['fec0::1', false],
    ['ff02::1', false],
    ['::ffff:8.8.8.8', false],
    ['64:ff9b::a00:1', false],
    ['2002:a00:1::', false],
    ['2001:db8::1', false],
    ['example.com', false],
  ])('%s is public: %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });

  test.each([
    ['example.com', true],
    ['example.com.', true],
    ['[2606:4700:4700::1111]', true],
    ['localhost', false],
    ['router', false],
    ['a.localhost', false],
    ['printer.local', false],
  ])('the host %s may be public: %s', (host, isPublic) => {
    expect(isPublicHost(host)).toBe(isPublic);
  });

  test('that resolves to a private one is refused when it is looked up', async () => {
    const looked = new Promise((resolve) =>
      lookupPublic('localhost', { all: true }, (error) => resolve(error)),
    );
    expect(await looked).toMatchObject({ code: 'EPRIVATE' });
  });

  test.each([
    [['8.8.8.8', '127.0.0.1']],
    [['127.0.0.1', '8.8.8.8']],
    [['8.8.8.8', '1.1.1.1', '10.0.0.1']],
    [['2606:4700:4700::1111', '::ffff:10.0.0.1']],
    [['::ffff:127.0.0.1', '2606:4700:4700::1111']],
    [['8.8.8.8', 'fd00::1']],
  ])('that resolves to a public and a private one (%s) is not connected to', async (addresses) => {
    resolved.set('mixed.example.com', asLookedUp(addresses));
    for (const all of [true, false]) {
      expect(await lookedUp('mixed.example.com', all)).toMatchObject({ code: 'EPRIVATE' });
    }
    const agent = publicAgent(1_000);
    endsWithTest(() => agent.destroy());
    const asked = agent.request({ origin: 'http://mixed.example.com:9', path: '/', method: 'GET' });
    expect(await failureOf(asked)).toMatchObject({ code: 'EPRIVATE' });
  });

  test('that resolves to public ones alone is looked up as usual', async () => {
    const addresses = asLookedUp(['2606:4700:4700::1111', '8.8.8.8']);
    resolved.set('public.example.com', addresses);
    expect(await lookedUp('public.example.com', true)).toEqual(addresses);
    expect(await lookedUp('public.example.com', false)).toBe('2606:4700:4700::1111');
  });

  test('that resolves to a private one is not connected to', async () => {
    const agent = publicAgent(1_000);
    endsWithTest(() => agent.destroy());
    const { server } = await stage();
    const asked = agent.request({ origin: `http://localhost:${server.port}`, path: '/', method: 'GET' });
    expect(await failureOf(asked)).toMatchObject({ code: 'EPRIVATE' });
  });

  test('that resolves to a private one is refused as such', async () => {
    const resultDispatcher = new Agent({
      connect: { lookup: (_, options, callback) => lookupPublic('localhost', options, callback) },
    });
    endsWithTest(() => resultDispatcher.destroy());
    const { client } = await stage(undefined, { resultDispatcher });
    const error = await failureOf(client.download(at('https://rebound.example.com/1')));
    expect(error).toMatchObject({ name: 'AddressRefusedError', reason: 'private' });
  });
});

const asLookedUp = (addresses: readonly string[]) =>
  addresses.map((address) => ({ address, family: isIP(address) }));

/** The addresses a socket would connect to, or the error. */
function lookedUp(hostname: string, all: boolean): Promise<unknown> {
  return new Promise((resolve) =>
    lookupPublic(hostname, { all }, (error, addresses) => resolve(error ?? addresses)),
  );
}
