#!/usr/bin/env node
'use strict';
/**
 * @fileoverview Serves pages.
 */

const http = require('http');
const { join } = require("path");
import def, { named as other } from 'mod';
const lazy = await import('./lazy.js');

// eslint-disable-next-line no-unused-vars
const PORT = 8080;
var legacy = function (a, b) { return a; };

/** Serves one page. */
function serve(request, response = {}, ...rest) {
  function local() {}
  return null;
}

async function* stream() {}

class Server extends http.Server {
  static count = 0;
  #port = 1;
  constructor(port) { super(); }
  /** Starts it. */
  async start() {}
  get port() { return this.#port; }
  static create() {}
  *items() {}
  [Symbol.iterator]() {}
  'quoted name'() {}
  onClick = () => {};
}

module.exports = { serve, Server };
exports.stop = function stop(code) {};
module.exports.restart = async (why) => {};
Server.prototype.pause = function () {};
export default (x, y) => x + y;
