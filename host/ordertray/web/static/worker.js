// Keeps the page itself (not the game, nothing secret) so that an installed page opens without its host, and says so.
// Network first: what the host has now is what is shown. Only secure pages get a worker.

const SHELL = "ordertray-shell-1";
const KEPT = /^\/$|^\/static\/|^\/api\/v1\/texts$/;

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(SHELL);
    const page = await fetch("/", {cache: "no-store"});
    await cache.put("/", page.clone());
    const files = new Set((await page.text()).match(/\/static\/[\w.-]+/g));
    await cache.addAll([...files]);
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== SHELL) await caches.delete(name);
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin || !KEPT.test(url.pathname)) return;
  event.respondWith((async () => {
    const cache = await caches.open(SHELL);
    const key = url.pathname === "/" ? "/" : url.pathname.startsWith("/static/") ? url.pathname : event.request;
    try {
      const answer = await fetch(event.request);
      // Not waited for: the copy is only read as fast as the page reads its own.
      if (answer.ok) event.waitUntil(cache.put(key, answer.clone()).catch(() => {}));
      return answer;
    } catch (fault) {
      const kept = await cache.match(key);
      if (kept) return kept;
      throw fault;
    }
  })());
});
