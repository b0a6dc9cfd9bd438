import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { Agent } from 'undici';
import { connecting } from './connecting.ts';

// IANA's special-purpose registries: everything that isn't globally reachable unicast. Also the one other address
// that a cloud answers only from its own machines (Azure's wire server; the others use 169.254/16, 100.64/10,
// fd00::/8).
const special = new BlockList();
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '168.63.129.16/32',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
])
  addRange(range, 'ipv4');
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) addRange(range, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

function addRange(range: string, family: 'ipv4' | 'ipv6'): void {
  const [network = '', prefix] = range.split('/');
  special.addSubnet(network, Number(prefix), family);
}

/** Whether an IP address is globally reachable: not private, loopback, link-local or reserved. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}

/** Whether a URL's host looks public: not a private IP address or a local name. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host)) return isPublicAddress(host);
  return host.includes('.') && !/\.(?:localhost|local|internal|home\.arpa)$/i.test(host);
}

/** A hostname resolved to a private address. */
class PrivateAddressError extends Error {
  readonly code = 'EPRIVATE';
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * `dns.lookup` for sockets that fails if any of the host's addresses isn't public. It checks the addresses that are
 * actually connected to, so DNS can't change between check and use.
 */
export function lookupPublic(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error || !first) return callback(error ?? new Error('no address'), []);
    if (!addresses.every(({ address }) => isPublicAddress(address)))
      return callback(new PrivateAddressError('not a public address'), []);
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
}

/** An agent that connects only to public addresses; timeout for connecting in milliseconds. */
export function publicAgent(connectTimeout: number): Agent {
  return new Agent({ connect: connecting(connectTimeout, { lookup: lookupPublic }) });
}
