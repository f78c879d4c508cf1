// What can be done with a memory.
import { act } from './act.js';
import { part } from './api.js';

const one = (id, doing, method, path, body) => act(doing, method, `/memories/${part(id)}${path}`, body);

export const pin = ({ id, isPinned }) => (isPinned ? one(id, 'Unpinned', 'POST', '/unpin') : one(id, 'Pinned: it comes first in every briefing', 'POST', '/pin'));
export const forget = ({ id, isAway }, reason) => (isAway ? one(id, 'Brought back', 'POST', '/restore') : one(id, 'Forgotten', 'DELETE', query(reason)));
export const confirm = ({ id }, reason) => one(id, 'Confirmed', 'POST', '/confirm', reason ? { reason } : {});
export const challenge = ({ id }, reason) => one(id, 'In doubt: not recalled until somebody confirms it', 'POST', '/challenge', { reason });
export const invalidate = ({ id }, reason) => one(id, 'Marked as wrong', 'POST', '/invalidate', { reason });
export const promote = ({ id }) => one(id, 'Lasts longer now', 'POST', '/promote');
export const demote = ({ id }) => one(id, 'Lasts less long now', 'POST', '/demote');
export const edit = ({ id }, text, isCore) => one(id, 'Changed', 'PATCH', '', { text, ...(isCore ? { confirm_core: true } : {}) });
export const tag = ({ id }, tags, remove) => one(id, 'Tags changed', 'POST', '/tag', { tags, remove });
export const link = ({ id }, to, relation) => one(id, 'Linked', 'POST', '/link', { to, ...(relation ? { relation } : {}) });
export const annotate = ({ id }, note) => one(id, 'Noted', 'POST', '/annotate', { note });
export const remember = (text, more) => act('Remembered', 'POST', '/memories', { text, ...more });

export const closeThread = (id) => act('Closed', 'POST', `/threads/${part(id)}/close`);
export const reopenThread = (id) => act('Open again', 'POST', `/threads/${part(id)}/reopen`);

const query = (reason) => (reason ? `?reason=${part(reason)}` : '');
