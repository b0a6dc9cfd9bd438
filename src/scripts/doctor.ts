import { stdout } from 'node:process';
import { readEnvFile } from '../config.ts';
import { diagnose } from '../doctor/doctor.ts';

/** `npm run doctor`: a line a check; exit status 1 where something has to be mended. */
readEnvFile();
const findings = await diagnose(process.env);
for (const { subject, found, mend } of findings) {
  stdout.write(mend === undefined ? `✓ ${subject}: ${found}\n` : `✗ ${subject}: ${found} → ${mend}\n`);
}
const faults = findings.filter(({ mend }) => mend !== undefined).length;
stdout.write(faults === 0 ? '\nNothing is wrong.\n' : `\n${faults} of ${findings.length} to mend.\n`);
process.exitCode = faults === 0 ? 0 : 1;
