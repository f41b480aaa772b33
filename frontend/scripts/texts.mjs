// Find texts of the page that are not translated. Print one text per line, with its file and line number. Exit with
// code 1 if there are any.
// Texts that the server says have their Czech in a file of their own, which tests/project/test_translations.py compares.
// `--list` prints all messages as JSON instead.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IntlMessageFormat } from 'intl-messageformat';
import { parse } from 'svelte/compiler';

const ROOT = process.argv.find((word, k) => k > 1 && !word.startsWith('-')) ?? join(dirname(fileURLToPath(import.meta.url)), '..', 'src');
const SAYING = new Set(['t', 'pieces']); // names of functions whose first argument is a message
const TOLD = new Set(['title', 'text', 'label', 'who', 'says', 'unit', 'reason', 'message', 'error', 'placeholder', 'alt', 'aria-label', 'aria-valuetext', 'aria-description', 'aria-roledescription']);
const SERVER = join('texts', 'cs', 'bots.ts'); // translations of texts that the server says
const FORMS = ['one', 'few', 'other']; // plural forms that a Czech message must have for whole numbers
// Texts that are the same in every language: names, labels of keys, orders in the notation of logs.
const SAME = new Set(['Warlight', 'Elo', 'Enter', 'Shift Enter', 'Ctrl Enter', 'Ctrl ⏎', 'Home End', 'Alt', 'Z', 'Del', ': d na 4; a na eg 9']);
// Strings that look like texts but are not shown: CSS, selectors and media queries.
const CODE = new Set(['but one', '(prefers-reduced-motion: reduce)', '(prefers-color-scheme: light)', '(hover: none) and (pointer: coarse)', 'color-mix(in srgb,', 'input:not([type=range]), select, textarea', 'input:not([type=range]):not([type=checkbox]), select, textarea, dialog']);

const problems = [];
const messages = new Map(); // English message → places in the source where it is used

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : /\.(svelte|ts)$/.test(entry.name) ? [path] : [];
  });
}

function placed(file, source, offset) {
  return `${relative(ROOT, file)}:${source.slice(0, offset).split('\n').length}`;
}

const known = (text) => SAME.has(text.trim()) || CODE.has(text.trim());
const worded = (text) => /\p{L}/u.test(text) && !known(text);
const sentence = (text) => /\p{L}{2,}[,.:;]? \p{L}{2,}/u.test(text) && !known(text);
const report = (place, what, text) => problems.push(`${place}: ${what}: ${JSON.stringify(text.trim().slice(0, 120))}`);

/** Parse a file with Svelte's parser. A script is parsed as the `<script>` of a component. */
function treeOf(file) {
  const text = readFileSync(file, 'utf8');
  const source = file.endsWith('.svelte') ? text : `<script lang="ts">${text}</script>`;
  return { source, tree: parse(source, { modern: true, filename: file }) };
}

/** Return the string literals that an expression may evaluate to. */
function results(node) {
  if (!node) return [];
  if (node.type === 'Literal') return typeof node.value === 'string' ? [node] : [];
  if (node.type === 'TemplateLiteral') return [...node.quasis, ...node.expressions.flatMap(results)];
  if (node.type === 'ConditionalExpression') return [node.consequent, node.alternate].flatMap(results);
  if (node.type === 'LogicalExpression') return [node.left, node.right].flatMap(results);
  if (node.type === 'BinaryExpression') return node.operator === '+' ? [node.left, node.right].flatMap(results) : [];
  if (node.type === 'TSAsExpression' || node.type === 'TSNonNullExpression') return results(node.expression);
  if (node.type === 'NewExpression') return node.arguments.flatMap(results); // the message of an error
  return [];
}

const wording = (node) => (node.type === 'TemplateElement' ? node.value.cooked : node.type === 'Literal' && typeof node.value === 'string' ? node.value : '');
const literal = (node) => (node?.type === 'TemplateLiteral' && !node.expressions.length ? wording(node.quasis[0]) : node?.type === 'Literal' && typeof node.value === 'string' ? node.value : null);

/** Read a source file: collect its messages, and report texts outside of t(). */
function readSource(file) {
  const { source, tree } = treeOf(file);
  const at = (node) => placed(file, source, node.start);
  const shown = (expression) => {
    for (const part of results(expression)) if (worded(wording(part))) report(at(part), 'a text outside of t()', wording(part));
  };
  const visit = (node, within) => {
    if (!node || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach((child) => visit(child, within));
    if (['StyleSheet', 'ImportDeclaration', 'Comment'].includes(node.type) || /^TS.*(Type|Interface)/.test(node.type)) return;
    if (node.type === 'CallExpression' && SAYING.has(node.callee.name)) {
      const message = literal(node.arguments[0]);
      if (message === null) report(at(node), 'a message that is no literal', source.slice(node.start, node.end));
      else messages.set(message, [...(messages.get(message) ?? []), at(node)]);
      return visit(node.arguments.slice(1), within);
    }
    if (['Attribute', 'StyleDirective', 'ClassDirective'].includes(node.type)) {
      const parts = node.value === true ? [] : [node.value ?? node.expression].flat();
      for (const part of node.type === 'Attribute' && TOLD.has(node.name) ? parts : []) {
        if (part.type === 'Text' && worded(part.data)) report(at(node), `${node.name} outside of t()`, part.data);
        else if (part.type === 'ExpressionTag') shown(part.expression);
      }
      return visit(parts, 'attribute');
    }
    if (within === 'page' && node.type === 'Text' && worded(node.data)) report(at(node), 'a text outside of t()', node.data);
    if (within === 'page' && node.type === 'ExpressionTag') shown(node.expression);
    if (node.type === 'VariableDeclarator' && (within === 'page' || TOLD.has(node.id.name))) shown(node.init);
    if (node.type === 'Property' && !node.computed) {
      if (TOLD.has(node.key.name)) shown(node.value);
      return visit(node.value, within);
    }
    if (node.type === 'AssignmentExpression' && TOLD.has(node.left.property?.name ?? node.left.name)) shown(node.right);
    if (node.type === 'ThrowStatement') shown(node.argument);
    if (within === 'script' && sentence(wording(node))) report(at(node), 'a sentence outside of t()', wording(node));
    for (const [key, child] of Object.entries(node)) if (!['metadata', 'parent', 'loc'].includes(key)) visit(child, within);
  };
  visit([tree.module, tree.instance], 'script');
  visit(tree.fragment, 'page');
}

/** Read the entries of a file of translations into `texts`. */
function readTexts(file, texts) {
  const { source, tree } = treeOf(file);
  const visit = (node) => {
    if (!node || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach(visit);
    if (node.type === 'Property') {
      const place = placed(file, source, node.start);
      const [english, text] = [node.key.name ?? literal(node.key), literal(node.value)];
      if (node.computed || english === null || text === null) report(place, 'a translation that is no literal', source.slice(node.start, node.end));
      else if (texts.has(english)) report(place, 'translated twice', english);
      else texts.set(english, { text, place });
    }
    for (const [key, child] of Object.entries(node)) if (!['metadata', 'parent', 'loc'].includes(key)) visit(child);
  };
  visit(tree.instance);
}

/** Return the names of a message's values and elements, and the options of its `select` and `plural` arguments. */
function takes(message) {
  const found = { values: new Set(), selects: new Map(), plurals: [] };
  const kinds = ['literal', 'argument', 'number', 'date', 'time', 'select', 'plural', 'pound', 'tag'];
  const visit = (parts) => {
    for (const part of parts) {
      const kind = kinds[part.type];
      if (kind === 'tag') {
        found.values.add(`<${part.value}>`);
        visit(part.children);
      } else if (kind !== 'literal' && kind !== 'pound') found.values.add(part.value);
      if (kind === 'select') found.selects.set(part.value, Object.keys(part.options).sort().join(' '));
      if (kind === 'plural') found.plurals.push(Object.keys(part.options));
      for (const option of Object.values(part.options ?? {})) if (option.value) visit(option.value);
    }
  };
  visit(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: !/<(b|i|kbd|mono)>/.test(message) }).getAst());
  return found;
}

function compare(english, { text, place }) {
  try {
    const [from, to] = [takes(english), takes(text)];
    const missing = [...from.values].filter((name) => !to.values.has(name));
    const unknown = [...to.values].filter((name) => !from.values.has(name));
    if (missing.length) report(place, `does not say ${missing.join(', ')}`, text);
    if (unknown.length) report(place, `says ${unknown.join(', ')}, which the English has not`, text);
    for (const [name, options] of to.selects) {
      if (from.selects.has(name) && from.selects.get(name) !== options) report(place, `chooses by ${name} among ${options}, the English among ${from.selects.get(name)}`, text);
    }
    for (const forms of to.plurals) {
      const lacks = FORMS.filter((form) => !forms.includes(form));
      if (lacks.length) report(place, `a plural without ${lacks.join(', ')}`, text);
    }
  } catch (error) {
    report(place, `cannot be read, ${error.message}`, text);
  }
}

const texts = new Map();
for (const file of files(ROOT)) {
  if (relative(ROOT, file).startsWith('texts')) readTexts(file, texts);
  else readSource(file);
}
for (const [english, places] of messages) {
  if (texts.has(english)) compare(english, texts.get(english));
  else report(places[0], 'no Czech', english);
}
const ours = [...texts].filter(([, { place }]) => !place.startsWith(SERVER));
for (const [english, { place }] of ours) if (!messages.has(english)) report(place, 'nothing says', english);

if (process.argv.includes('--list')) console.log(JSON.stringify(Object.fromEntries(messages), null, 1));
else {
  for (const problem of problems) console.log(problem);
  console.log(`${messages.size} messages, ${ours.length} of them in Czech; ${problems.length} problems`);
  process.exitCode = problems.length ? 1 : 0;
}
