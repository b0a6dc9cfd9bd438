import { ConfigError } from '../config/config.ts';
import { diagnose } from '../doctor/doctor.ts';
import { report } from '../doctor/finding.ts';
import { script } from './script.ts';

/**
 * `npm run doctor`: prints what each check found; exit status 1 if something has to be fixed. With `-- listing` also what Discord
 * asks of verified bots, and Slack of apps in its Marketplace.
 */
await script(async () => {
  const [about, ...more] = process.argv.slice(2);
  if ((about ?? 'listing') !== 'listing' || more.length > 0)
    throw new ConfigError(['usage: npm run doctor [-- listing]']);
  const { text, faults } = report(await diagnose(process.env, { withListing: about !== undefined }));
  process.exitCode = faults === 0 ? 0 : 1;
  return text;
});
