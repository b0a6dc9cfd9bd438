import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ConfigError, readConfig } from '../../../src/config/config.ts';
import { settings } from '../../../src/config/settings.ts';
import { anyText, edge } from '../edge.ts';

const names = Object.keys(settings);
/** Stands in every value that is tried, and must not come out again. */
const secret = 'q7Zx';

const values = fc.oneof(
  anyText.map((text) => `${secret}${text}`),
  anyText.map((text) => `${text}${secret}`),
  fc.constantFrom(...'on off 0 1 -1 1e9 NaN Infinity 0x10 8787 127.0.0.1'.split(' '), ' ', ''),
  fc.constantFrom(...['xoxb-', 'xapp-', 'sk-svc-', 'sqlite:', secret].map((start) => `${start}${secret}`)),
  fc.constantFrom('https://a.example/v1', `https://${secret}@a.example/v1`, `sqlite:${secret}.db`),
  fc.constantFrom('auto', '0-3/16', '9-3/16', '0.0.0.0'),
);

/** The environment: any settings with any values, and what else there may be. */
export const configuration = edge(
  'configuration',
  fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.constantFrom('__proto__', 'PATH')), values, {
    maxKeys: 12,
  }),
  (environment) => {
    let faults: readonly string[] = [];
    try {
      const config = readConfig(environment);
      assert.ok(Object.isFrozen(config));
      assert.deepEqual(Object.keys(config).sort(), [...names].sort());
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults = error.faults;
      assert.ok(faults.length > 0);
    }
    for (const fault of faults) {
      assert.match(fault, /^[A-Z_]+(?: or [A-Z_]+)?: .*allowed: ./);
      assert.ok(!fault.includes(secret) && !fault.includes('\n'), fault);
    }
  },
);
