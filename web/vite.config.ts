// The build: relative paths, so that the site works in any folder of any static server, a service
// worker that keeps it usable offline, and a content security policy in the page itself.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { notices, packages } from './licences.js';
import { tableFiles } from './tables.js';

const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Writes the policy into the built page; the development server needs inline styles. */
const contentSecurityPolicy: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: policy },
      injectTo: 'head-prepend',
    },
  ],
};

/** What the first frame needs, in two files: the texts with the settings, and all that is drawn. */
const firstChunks = [
  { name: 'texts', test: /src\/strings\/(index|en)\.ts$/, priority: 2 },
  { name: 'page', test: /src\/start\.tsx$/, priority: 1 },
];

/** The first script asks for the texts; the page itself asks for the rest of the first frame at the same time. */
const preloads: Plugin = {
  name: 'preloads',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) =>
      Object.values(bundle)
        .filter((file) => file.type === 'chunk' && ['page', 'start'].includes(file.name))
        .map(({ fileName }) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `./${fileName}` },
          injectTo: 'head',
        })),
  },
};

/** The licence texts of everything in the page and, unless its address is given, the source itself. */
const licences: Plugin = {
  name: 'licences',
  apply: 'build',
  generateBundle() {
    const crates = 'npm/licences.txt';
    const parts = [readFileSync('../LICENSE', 'utf8'), notices(packages()), readFileSync(crates, 'utf8')];
    this.emitFile({ type: 'asset', fileName: 'licences.txt', source: parts.join(`\n${'='.repeat(78)}\n\n`) });
    if (process.env.VITE_SOURCE_URL) return;
    const archive = ['-C', '..', 'archive', '--format=tar.gz', '--prefix=brisance/', 'HEAD'];
    const source = execFileSync('git', archive, { maxBuffer: 2 ** 28 });
    this.emitFile({ type: 'asset', fileName: 'source.tar.gz', source });
  },
};

/** The endgame tables that the page offers, if the environment names their folder. */
const tables: Plugin = {
  name: 'tables',
  apply: 'build',
  generateBundle() {
    const folder = process.env.BRISANCE_TABLES;
    for (const [name, source] of Object.entries(folder ? tableFiles(folder) : {})) {
      this.emitFile({ type: 'asset', fileName: `tables/${name}`, source });
    }
  },
};

export default defineConfig({
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: firstChunks } } },
  },
  worker: { format: 'es' },
  plugins: [
    contentSecurityPolicy,
    preloads,
    licences,
    tables,
    VitePWA({
      registerType: 'prompt',
      injectRegister: false,
      manifest: {
        name: 'Brisance: atomic chess',
        short_name: 'Brisance',
        description: 'Play, analyse and train atomic chess',
        display: 'standalone',
        start_url: './',
        background_color: '#161512',
        theme_color: '#161512',
        icons: [
          { src: 'icon-192.png', sizes: '192x192', type: 'image/png' },
          { src: 'icon-512.png', sizes: '512x512', type: 'image/png' },
          { src: 'icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
        ],
      },
      workbox: {
        globPatterns: ['**/*.{js,css,html,svg,png,wasm,nnue,json,epd,txt,bin}'],
        // They are kept by the page when they are wanted.
        globIgnores: ['tables/**'],
        maximumFileSizeToCacheInBytes: 16 * 1024 * 1024,
      },
    }),
  ],
});
