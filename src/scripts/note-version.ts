import { readFileSync, writeFileSync } from 'node:fs';

/** Moves what is unreleased in a changelog (Keep a Changelog) under a version with its date (YYYY-MM-DD). */
export function noteVersion(changelog: string, version: string, date: string): string {
  const heading = '## [Unreleased]\n';
  const [before, after, ...more] = changelog.split(heading);
  if (after === undefined || more.length > 0)
    throw new Error('CHANGELOG.md must have “## [Unreleased]” once');
  const [changes = ''] = after.split(/^## /m);
  if (changes.trim() === '') throw new Error('CHANGELOG.md has nothing under “## [Unreleased]”');
  return `${before}${heading}\n## [${version}] - ${date}\n${after}`;
}

// `npm version` runs it with the new version in package.json, before it commits.
if (import.meta.main) {
  const file = new URL('../../CHANGELOG.md', import.meta.url);
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(file, noteVersion(readFileSync(file, 'utf8'), version, today));
}
