import { svelte } from '@sveltejs/vite-plugin-svelte';
import license, { type Dependency } from 'rollup-plugin-license';
import { defineConfig, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

/** The licences of what is bundled, in a file beside the page and as a comment at the end of the page itself. */
function licences(): Plugin[] {
  let notices = '';
  const collect = license({
    thirdParty: {
      allow: { test: '(MIT OR ISC OR BSD-2-Clause OR BSD-3-Clause OR 0BSD OR Apache-2.0 OR Unlicense)', failOnUnlicensed: true, failOnViolation: true },
      output: (dependencies) => void (notices = dependencies.map(notice).sort().join('\n')),
    },
  });
  const write: Plugin = {
    name: 'write-licences',
    enforce: 'post',
    generateBundle(_, bundle) {
      // A comment ends with two hyphens and a bracket: no licence has them, and none may.
      if (notices === '' || notices.includes('--')) this.error('the licences of what is bundled cannot be written');
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: notices });
      const page = bundle['index.html'];
      if (page?.type !== 'asset') return this.error('there is no page');
      page.source = `${page.source.toString().trimEnd()}\n<!--\nThis page contains:\n\n${notices}-->\n`;
    },
  };
  return [collect as Plugin, write];
}

function notice({ name, version, license, licenseText }: Dependency): string {
  return `${name} ${version} (${license})\n\n${(licenseText ?? '').trim()}\n`;
}

// One HTML file, into the Python package; the development server passes calls on to `warlight play`.
export default defineConfig({
  plugins: [svelte(), viteSingleFile({ removeViteModuleLoader: true }), licences()],
  build: { outDir: '../warlight_env/web/page', emptyOutDir: true, target: 'es2022', modulePreload: false },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8040', ws: true, changeOrigin: true } } },
});
