// Finds texts of the page that are not translated: prints one a line, with its place; exit code 1 where there are any.
// `--list` prints all messages instead, as JSON.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IntlMessageFormat } from 'intl-messageformat';
import { parse } from 'svelte/compiler';
import ts from 'typescript';

const ROOT = process.argv.find((word, k) => k > 1 && !word.startsWith('-')) ?? join(dirname(fileURLToPath(import.meta.url)), '..', 'src');
const SAYING = new Set(['t', 'pieces']); // functions that take a message
const TOLD = new Set(['title', 'text', 'label', 'who', 'says', 'unit', 'placeholder', 'alt', 'aria-label', 'aria-valuetext', 'aria-description', 'aria-roledescription']);
const FORMS = ['one', 'few', 'other']; // that a Czech plural of whole numbers has
// What is the same in every language: the name of the program, keys as they stand on keyboards, orders as logs have them.
const SAME = new Set(['Warlight', 'Enter', 'Ctrl ⏎', 'Alt', 'Z', ': d na 4; a na eg 9']);

const problems = [];
const messages = new Map(); // English, with the places where it is said

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : /\.(svelte|ts)$/.test(entry.name) ? [path] : [];
  });
}

function placed(file, source, offset) {
  return `${relative(ROOT, file)}:${source.slice(0, offset).split('\n').length}`;
}

const worded = (text) => /\p{L}/u.test(text) && !SAME.has(text.trim());
const sentence = (text) => /\p{L}{2,}[,.:;]? \p{L}{2,}/u.test(text) && !SAME.has(text.trim());
const report = (place, what, text) => problems.push(`${place}: ${what}: ${JSON.stringify(text.trim().slice(0, 120))}`);

function said(place, literal, code) {
  if (literal === null) report(place, 'a message that is no literal', code);
  else messages.set(literal, [...(messages.get(literal) ?? []), place]);
}

/** A file of TypeScript: messages, and sentences that are none. */
function readScript(file) {
  const source = readFileSync(file, 'utf8');
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const at = (node) => placed(file, source, node.getStart());
  const visit = (node, inside) => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && SAYING.has(node.expression.text)) {
      const [first, ...rest] = node.arguments;
      said(at(node), first && ts.isStringLiteralLike(first) ? first.text : null, node.getText());
      rest.forEach((more) => visit(more, inside));
      return;
    }
    if (ts.isImportDeclaration(node)) return;
    const text = ts.isStringLiteralLike(node) ? node.text : ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node) ? node.text : '';
    if (sentence(text)) report(at(node), 'a sentence outside of t()', text);
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(tree, false);
}

/** The literals that an expression may come to. */
function results(node) {
  if (!node) return [];
  if (node.type === 'Literal') return typeof node.value === 'string' ? [node] : [];
  if (node.type === 'TemplateLiteral') return [...node.quasis, ...node.expressions.flatMap(results)];
  if (node.type === 'ConditionalExpression') return [node.consequent, node.alternate].flatMap(results);
  if (node.type === 'LogicalExpression' || node.type === 'BinaryExpression') return node.operator === '===' || node.operator === '<' ? [] : [node.left, node.right].flatMap(results);
  if (node.type === 'TSAsExpression' || node.type === 'TSNonNullExpression') return results(node.expression);
  return [];
}

const wording = (node) => (node.type === 'TemplateElement' ? node.value.cooked : node.value);

/** A component: messages, texts of its elements and attributes that are none, and sentences of its script. */
function readComponent(file) {
  const source = readFileSync(file, 'utf8');
  const tree = parse(source, { modern: true, filename: file });
  const at = (node) => placed(file, source, node.start);
  const literal = (node) =>
    node?.type === 'Literal' && typeof node.value === 'string' ? node.value : node?.type === 'TemplateLiteral' && !node.expressions.length ? node.quasis[0].value.cooked : null;
  const shown = (expression) => {
    for (const part of results(expression)) if (worded(wording(part))) report(at(part), 'a text outside of t()', wording(part));
  };
  const visit = (node, within) => {
    if (!node || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach((child) => visit(child, within));
    if (node.type === 'CallExpression' && SAYING.has(node.callee.name)) {
      said(at(node), literal(node.arguments[0]), source.slice(node.start, node.end));
      return visit(node.arguments.slice(1), within);
    }
    if (node.type === 'StyleSheet' || node.type === 'ImportDeclaration' || node.type === 'Comment') return;
    if (node.type === 'Attribute') {
      const parts = node.value === true ? [] : [node.value].flat();
      for (const part of TOLD.has(node.name) ? parts : []) {
        if (part.type === 'Text' && worded(part.data)) report(at(node), `${node.name} outside of t()`, part.data);
        else if (part.type === 'ExpressionTag') shown(part.expression);
      }
      return visit(parts, 'attribute');
    }
    if (node.type === 'Text' && within !== 'attribute' && worded(node.data)) report(at(node), 'a text outside of t()', node.data);
    if (node.type === 'ExpressionTag' && within !== 'attribute') shown(node.expression);
    if (within === 'script') {
      const text = node.type === 'Literal' && typeof node.value === 'string' ? node.value : node.type === 'TemplateElement' ? node.value.cooked : '';
      if (sentence(text)) report(at(node), 'a sentence outside of t()', text);
    }
    for (const [key, child] of Object.entries(node)) {
      if (key !== 'metadata' && key !== 'parent' && key !== 'loc') visit(child, node.type === 'Program' ? 'script' : within);
    }
  };
  visit(tree.instance, 'script');
  visit(tree.module, 'script');
  visit(tree.fragment, 'page');
}

/** The entries of a file of translations. */
function readTexts(file, texts) {
  const source = readFileSync(file, 'utf8');
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (ts.isPropertyAssignment(node)) {
      const place = placed(file, source, node.getStart());
      const [key, text] = [node.name, node.initializer];
      if (!(ts.isStringLiteralLike(key) || ts.isIdentifier(key)) || !ts.isStringLiteralLike(text)) report(place, 'a translation that is no literal', node.getText());
      else if (texts.has(key.text)) report(place, 'translated twice', key.text);
      else texts.set(key.text, { text: text.text, place });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
}

/** What a message takes: names of values with how they are used, and elements. */
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
  else if (file.endsWith('.svelte')) readComponent(file);
  else readScript(file);
}
for (const [english, places] of messages) {
  if (texts.has(english)) compare(english, texts.get(english));
  else report(places[0], 'no Czech', english);
}
for (const [english, { place }] of texts) if (!messages.has(english)) report(place, 'nothing says', english);

if (process.argv.includes('--list')) console.log(JSON.stringify(Object.fromEntries(messages), null, 1));
else {
  for (const problem of problems) console.log(problem);
  console.log(`${messages.size} messages, ${texts.size} of them in Czech; ${problems.length} problems`);
  process.exitCode = problems.length ? 1 : 0;
}
