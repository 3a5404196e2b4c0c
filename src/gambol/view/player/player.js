// Entry: a page that plays a motion which gambol.view.page wrote into it, or the live view. Built by scripts/build-player.
import { Live } from "./live.js";
import { Replay } from "./replay.js";

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// The arrays of the motion: { name: typed array }, laid one after the other in the order of `layout`.
function arraysOf(buffer, layout) {
  const kinds = { f4: Float32Array, u4: Uint32Array, i2: Int16Array, i4: Int32Array, u1: Uint8Array };
  const found = {};
  let at = 0;
  for (const [name, kind, count] of layout) {
    const Kind = kinds[kind];
    found[name] = new Kind(buffer.slice(at, at + count * Kind.BYTES_PER_ELEMENT));
    at += count * Kind.BYTES_PER_ELEMENT;
  }
  return found;
}

const root = document.getElementById("stage");
try {
  const about = JSON.parse(document.getElementById("about").textContent);
  const buffer = await unpacked(document.getElementById("motion").textContent.trim());
  window.gambol = new (about.live ? Live : Replay)(about, arraysOf(buffer, about.layout), root);
} catch (error) {
  root.textContent = `This page cannot be played here: ${error.message}`;
  throw error;
}
