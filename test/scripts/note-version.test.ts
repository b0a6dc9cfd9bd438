import { expect, it } from 'vitest';
import { noteVersion } from '../../src/scripts/note-version.ts';

const head = '# Changelog\n\n## [Unreleased]\n';

it('npm version moves what is unreleased under the version and its date', () => {
  const changelog = `${head}\n### Added\n\n- a\n\n## [0.1.0] - 2026-01-01\n\n- b\n`;
  expect(noteVersion(changelog, '0.2.0', '2026-02-03')).toBe(
    `${head}\n## [0.2.0] - 2026-02-03\n\n### Added\n\n- a\n\n## [0.1.0] - 2026-01-01\n\n- b\n`,
  );
});

it.each([`${head}\n## [0.1.0] - 2026-01-01\n\n- b\n`, '# Changelog\n', `${head}- a\n${head}- b\n`])(
  'and stops where there is nothing to move, or no single place for it',
  (changelog) => {
    expect(() => noteVersion(changelog, '0.2.0', '2026-02-03')).toThrow(/CHANGELOG.md/);
  },
);
