import type { Node } from 'acorn';
import { carefulParser } from '../../../lib/formats/careful-parser.ts';

/** Something in code that the runtime has no way to do, or only while a module loads. */
export type CodeFinding =
  /** Makes code from text in a call. */
  | { kind: 'generated'; by: 'eval' | 'Function'; at: number; isGuarded: boolean }
  /** Imports a module that a bundle cannot have. */
  | { kind: 'import'; specifier: string; at: number };

/** What a node inherits from the code around it. */
interface Surroundings {
  /** True in a function, which runs later than the module loads. */
  isInCall: boolean;
  /** True if an exception is caught there. */
  isGuarded: boolean;
}

type AnyNode = Node & { [field: string]: unknown };

/** Code without any of these has nothing to find. */
const MAY_HAVE_FINDINGS = /\beval\b|\bFunction\b|\bimport\s*\(/;
/** Longer code is not parsed: a tree takes up to 300 bytes for each character. */
const MAX_LETTERS = 512 * 1024;
/** Modules that are not files, packages or modules of the runtime. */
const ELSEWHERE = /^(?:https?:|jsr:|npm:)/;
/** A way to the global object, which packages write for runtimes without `globalThis`. */
const GLOBAL_OBJECT = /^\s*return\s+(?:this|globalThis)\s*;?\s*$/;
/** How the compiler wraps modules. What is in them runs when they are first needed, usually while the bundle loads. */
const WRAPPERS = ['__commonJS', '__esm', '__commonJSMin', '__esmMin'];
/** Functions that catch what the given one throws: lodash has one. */
const ATTEMPT = /^_?attempt$/;
const GLOBALS = ['globalThis', 'self', 'window', 'global'];

/** Reads a module, or a part of one, without running it. Finds nothing in code that is too long or cannot be parsed. */
export async function inspectCode(code: string): Promise<CodeFinding[]> {
  if (code.length > MAX_LETTERS || !MAY_HAVE_FINDINGS.test(code)) return [];
  const acorn = await import('acorn');
  try {
    const tree = carefulParser(acorn).parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
    return new Walk().find(tree as Node as AnyNode);
  } catch (error) {
    // The code is nested too deeply, or the compiler knows syntax that the parser does not.
    if (error instanceof SyntaxError || error instanceof RangeError) return [];
    throw error;
  }
}

class Walk {
  private readonly found: CodeFinding[] = [];
  /** Functions that run where they are written. */
  private readonly runsHere = new Set<unknown>();
  private readonly guarded = new Set<unknown>();
  /** True if the code gives the name `Function` to something else. */
  private hasOwnFunction = false;

  find(tree: AnyNode): CodeFinding[] {
    // A list instead of recursion: a tree can be deeper than the stack.
    const left: Array<[node: AnyNode, around: Surroundings]> = [
      [tree, { isInCall: false, isGuarded: false }],
    ];
    for (let next = left.pop(); next; next = left.pop()) {
      const [node, around] = next;
      this.look(node, around);
      const inside = this.enter(node, around);
      for (const [field, value] of Object.entries(node))
        for (const child of Array.isArray(value) ? value : [value])
          if (isNode(child)) left.push([child, field === 'block' && catches(node) ? guard(inside) : inside]);
    }
    const isMeant = (each: CodeFinding) =>
      !(this.hasOwnFunction && each.kind === 'generated' && each.by === 'Function');
    return this.found.filter(isMeant).sort((a, b) => a.at - b.at);
  }

  private enter(node: AnyNode, around: Surroundings): Surroundings {
    const isGuarded = around.isGuarded || this.guarded.has(node);
    if (this.runsHere.has(node)) return { ...around, isGuarded };
    const isFunction = /Function(?:Declaration|Expression)$/.test(node.type);
    const isField = node.type === 'PropertyDefinition' && node.static !== true;
    return isFunction || isField ? { isInCall: true, isGuarded } : around;
  }

  private look(node: AnyNode, { isInCall, isGuarded }: Surroundings): void {
    const { start: at } = node;
    if (declares(node)) this.hasOwnFunction = true;
    if (node.type === 'ImportExpression') {
      const specifier = readText(node.source);
      if (specifier !== undefined && ELSEWHERE.test(specifier))
        this.found.push({ kind: 'import', specifier, at });
    }
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
    this.noteArguments(node);
    const by = readGlobal(node.callee);
    if (!isInCall || (by !== 'Function' && !(by === 'eval' && node.type === 'CallExpression'))) return;
    const given = node.arguments as unknown[];
    if (given.length === 0 || GLOBAL_OBJECT.test(readText(given[0]) ?? '')) return;
    this.found.push({ kind: 'generated', by, at, isGuarded });
  }

  /** Notes which functions a call runs at once, and of which it catches what they throw. */
  private noteArguments({ callee, arguments: given }: AnyNode): void {
    this.runsHere.add(callee);
    const { type, object, property, name } = callee as AnyNode;
    if (type === 'MemberExpression' && ['call', 'apply'].includes(String((property as AnyNode).name)))
      this.runsHere.add(object);
    for (const each of given as AnyNode[]) {
      if (ATTEMPT.test(String(name))) this.guarded.add(each);
      if (!WRAPPERS.includes(String(name))) continue;
      this.runsHere.add(each);
      for (const { value } of (each.properties ?? []) as AnyNode[]) this.runsHere.add(value);
    }
  }
}

const isNode = (value: unknown): value is AnyNode => typeof (value as AnyNode | null)?.type === 'string';
/** Whether a statement catches what is thrown in its block, and does not throw again. */
const catches = ({ type, handler }: AnyNode) =>
  type === 'TryStatement' && isNode(handler) && !handsOn((handler.body as AnyNode).body as AnyNode[]);

/** Whether some of these statements throw. Those within others count too, if they are blocks or conditions. */
const handsOn = (statements: AnyNode[]): boolean =>
  statements.some(({ type, body, consequent, alternate }) => {
    if (type === 'ThrowStatement') return true;
    const inner = type === 'BlockStatement' ? (body as AnyNode[]) : [consequent, alternate].filter(isNode);
    return (type === 'BlockStatement' || type === 'IfStatement') && handsOn(inner);
  });
const guard = (inside: Surroundings): Surroundings => ({ ...inside, isGuarded: true });

/** Whether a node gives the name `Function` to something else. */
function declares({ type, id, local }: AnyNode): boolean {
  const isDeclaration = ['VariableDeclarator', 'FunctionDeclaration', 'ClassDeclaration'].includes(type);
  return ((isDeclaration ? id : local) as AnyNode | null | undefined)?.name === 'Function';
}

/** The text of a literal. Undefined if it is only known when the code runs. */
function readText(node: unknown): string | undefined {
  const { type, value, quasis, expressions } = node as AnyNode;
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type !== 'TemplateLiteral' || (expressions as unknown[]).length > 0) return undefined;
  return (quasis as Array<{ value: { cooked?: string } }>)[0]?.value.cooked;
}

/** The name of what is called, if it is global: `eval`, `(0, eval)`, `globalThis.eval` or `Function.apply`. */
function readGlobal(callee: unknown): string | undefined {
  const { type, name, object, property, computed, expressions } = callee as AnyNode;
  if (type === 'Identifier') return String(name);
  if (type === 'SequenceExpression') return readGlobal((expressions as unknown[]).at(-1));
  if (type !== 'MemberExpression' || computed === true) return undefined;
  const [holder, member] = [object, property].map((each) => String((each as AnyNode).name));
  if (holder === 'Function') return member === 'apply' || member === 'call' ? holder : undefined;
  return GLOBALS.includes(String(holder)) ? member : undefined;
}
