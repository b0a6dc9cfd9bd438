import { stdout } from 'node:process';
import { readEnvFile } from '../config/config.ts';
import { diagnose } from '../doctor/doctor.ts';

/** `npm run doctor`: prints a line per check; exit status 1 if something has to be fixed. */
readEnvFile();
const findings = await diagnose(process.env);
for (const { subject, found, mend, caution } of findings) {
  const mark = mend === undefined ? '✓' : caution ? '!' : '✗';
  stdout.write(`${mark} ${subject}: ${[found, mend].filter(Boolean).join(' → ')}\n`);
}
const faults = findings.filter(({ mend, caution }) => mend !== undefined && !caution).length;
stdout.write(faults === 0 ? '\nAll checks passed.\n' : `\n${faults} of ${findings.length} checks failed.\n`);
process.exitCode = faults === 0 ? 0 : 1;
