import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

// One HTML file, into the Python package; the development server passes calls on to `warlight play`.
export default defineConfig({
  plugins: [svelte(), viteSingleFile({ removeViteModuleLoader: true })],
  build: { outDir: '../warlight_env/web/page', emptyOutDir: true, target: 'es2022', modulePreload: false },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8040', ws: true, changeOrigin: true } } },
});
