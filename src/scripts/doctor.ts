import { diagnose } from '../doctor/doctor.ts';
import { report } from '../doctor/finding.ts';
import { script } from './script.ts';

/** `npm run doctor`: prints what each check found; exit status 1 if something has to be fixed. */
await script(async () => {
  const { text, faults } = report(await diagnose(process.env));
  process.exitCode = faults === 0 ? 0 : 1;
  return text;
});
