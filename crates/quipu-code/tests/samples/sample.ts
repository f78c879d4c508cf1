/**
 * Talks to the bank. It is slow.
 * @module bank
 */

import fs from "node:fs";
import * as path from 'path';
import type { Account, Money } from "./account";
import "./polyfill";
export { helper } from "./helper";
export * from "./everything";
import legacy = require("legacy");

/** How often we try. */
export const RETRIES = 3;
const hidden = 1;
export const API_URL: string = "https://bank.example", TIMEOUT = 5;
export let state: Money | undefined;

/** An account holder. */
export interface Holder<T extends object = {}> extends Person, Named {
  readonly id: string;
  /** Greets them. */
  greet(name?: string): void;
  new (id: string): Holder<T>;
  (x: number): string;
}

export type Result<T> = { ok: true; value: T } | { ok: false };
type Inner = string;

export enum Colour {
  Red = "red",
  Green = "green",
}
export const enum Flag { A, B }

/** Holds money. */
@Injectable({ scope: "root" })
export abstract class Wallet<T> extends Base<T> implements Holder, Named {
  static readonly MAX = 10;
  private secret = "s";
  #really = 1;
  handler = async (event: Event): Promise<void> => {};

  constructor(private readonly store: Store, public name: string) {
    super();
  }

  /**
   * Pays.
   * @param amount how much
   */
  @Log()
  public async pay<K extends keyof T>(
    amount: Money,
    ...rest: K[]
  ): Promise<Result<T>> {
    return { ok: false };
  }

  get balance(): number { return 0; }
  set balance(value: number) {}
  private hide(): void {}
  #hidden(): void {}
  protected abstract check(): boolean;
  static of(): Wallet<string> { return null!; }
}

class Plain {
  open() {}
}

/** Sends money. */
export async function send(to: string, amount = 5): Promise<void> {}
export function over(x: string): string;
export function over(x: number): number;
export function over(x: any): any { return x; }
export function* numbers(): Generator<number> {}
function quiet() {}

// Adds two numbers.
export const add = (a: number, b: number): number => a + b;
export const curry = <T,>(a: T) => (b: T) => [a, b];
const later = function named(x: number) { return x; };

export default class {
  run() {}
}

export namespace Geo.Points {
  export function near(p: Point): Point[] { return []; }
  function far() {}
}

declare module "untyped" {
  export function anything(x: unknown): void;
}
declare global {
  interface Window { quipu: string; }
}
declare function ambient(x: number): string;
export declare const VERSION: string;
abstract class Last {}
export { quiet, Plain as Public };
