// What is wider than its place fades at the side where it goes on. Tables sort by a click on a column's head: numbers first downward, words first upward; means stay at the end.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const body = table.tBodies[0];
      const rows = Array.from(body.rows).filter((row) => !row.classList.contains("mean"));
      const means = Array.from(body.rows).filter((row) => row.classList.contains("mean"));
      const value = (row) => row.cells[column].dataset.v;
      const numeric = rows.some((row) => value(row) !== undefined);
      const was = head.getAttribute("aria-sort");
      const up = was ? was === "descending" : !numeric;
      const key = (row) => (numeric ? parseFloat(value(row)) : row.cells[column].textContent);
      rows.sort((a, b) => {
        const x = key(a), y = key(b);
        if (numeric && (isNaN(x) || isNaN(y))) return isNaN(x) - isNaN(y);
        const order = numeric ? x - y : x.localeCompare(y, undefined, { numeric: true });
        return up ? order : -order;
      });
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      body.append(...rows, ...means);
    });
  });
}
const places = Array.from(document.querySelectorAll(".scroll"));
const look = (place) => {
  const left = place.scrollWidth - place.clientWidth - place.scrollLeft;
  place.classList.toggle("more", left > 2);
  place.classList.toggle("held", place.scrollWidth > place.clientWidth + 2 && place.querySelector("table") !== null);
};
for (const place of places) place.addEventListener("scroll", () => look(place), { passive: true });
const all = () => places.forEach(look);
for (const details of document.querySelectorAll("details")) details.addEventListener("toggle", all);
window.addEventListener("resize", all);
window.addEventListener("load", all);
all();
