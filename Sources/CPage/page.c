// The files of the page, each with a line in the table; tests check that none is missing.
#include "plumb_page.h"

// #embed is part of C23; Clang supports it in older C, too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char answer_js[] = {
#embed "page/answer.js"
};
static const unsigned char base_css[] = {
#embed "page/base.css"
};
static const unsigned char bufferareas_js[] = {
#embed "page/bufferareas.js"
};
static const unsigned char buffers_js[] = {
#embed "page/buffers.js"
};
static const unsigned char cellbins_js[] = {
#embed "page/cellbins.js"
};
static const unsigned char dates_js[] = {
#embed "page/dates.js"
};
static const unsigned char dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char drawing_js[] = {
#embed "page/drawing.js"
};
static const unsigned char eventlog_js[] = {
#embed "page/eventlog.js"
};
static const unsigned char events_js[] = {
#embed "page/events.js"
};
static const unsigned char fences_js[] = {
#embed "page/fences.js"
};
static const unsigned char format_js[] = {
#embed "page/format.js"
};
static const unsigned char geotriggers_js[] = {
#embed "page/geotriggers.js"
};
static const unsigned char histogram_js[] = {
#embed "page/histogram.js"
};
static const unsigned char icon_svg[] = {
#embed "page/icon.svg"
};
static const unsigned char identify_js[] = {
#embed "page/identify.js"
};
static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char layers_js[] = {
#embed "page/layers.js"
};
static const unsigned char layertree_js[] = {
#embed "page/layertree.js"
};
static const unsigned char link_js[] = {
#embed "page/link.js"
};
static const unsigned char main_js[] = {
#embed "page/main.js"
};
static const unsigned char map_css[] = {
#embed "page/map.css"
};
static const unsigned char mapview_js[] = {
#embed "page/mapview.js"
};
static const unsigned char monitorwatch_js[] = {
#embed "page/monitorwatch.js"
};
static const unsigned char network_js[] = {
#embed "page/network.js"
};
static const unsigned char picture_js[] = {
#embed "page/picture.js"
};
static const unsigned char player_js[] = {
#embed "page/player.js"
};
static const unsigned char pointlist_js[] = {
#embed "page/pointlist.js"
};
static const unsigned char rings_js[] = {
#embed "page/rings.js"
};
static const unsigned char sample_js[] = {
#embed "page/sample.js"
};
static const unsigned char sampleworker_js[] = {
#embed "page/sampleworker.js"
};
static const unsigned char series_js[] = {
#embed "page/series.js"
};
static const unsigned char server_js[] = {
#embed "page/server.js"
};
static const unsigned char shapes_js[] = {
#embed "page/shapes.js"
};
static const unsigned char statistics_js[] = {
#embed "page/statistics.js"
};
static const unsigned char statisticsbutton_js[] = {
#embed "page/statisticsbutton.js"
};
static const unsigned char symbols_js[] = {
#embed "page/symbols.js"
};
static const unsigned char tabs_js[] = {
#embed "page/tabs.js"
};
static const unsigned char terminal_js[] = {
#embed "page/terminal.js"
};
static const unsigned char token_js[] = {
#embed "page/token.js"
};
static const unsigned char tools_css[] = {
#embed "page/tools.css"
};
static const unsigned char trace_js[] = {
#embed "page/trace.js"
};
static const unsigned char traceresult_js[] = {
#embed "page/traceresult.js"
};
static const unsigned char track_js[] = {
#embed "page/track.js"
};
static const unsigned char tracksender_js[] = {
#embed "page/tracksender.js"
};
static const unsigned char upload_js[] = {
#embed "page/upload.js"
};
static const unsigned char valuesmap_js[] = {
#embed "page/valuesmap.js"
};
static const unsigned char walkers_js[] = {
#embed "page/walkers.js"
};
static const unsigned char zonal_js[] = {
#embed "page/zonal.js"
};
static const unsigned char zonalresult_js[] = {
#embed "page/zonalresult.js"
};

#define FILE_OF(name, bytes) {name, bytes, sizeof bytes}
static const plumb_page_entry files[] = {
    FILE_OF("answer.js", answer_js),
    FILE_OF("base.css", base_css),
    FILE_OF("bufferareas.js", bufferareas_js),
    FILE_OF("buffers.js", buffers_js),
    FILE_OF("cellbins.js", cellbins_js),
    FILE_OF("dates.js", dates_js),
    FILE_OF("dom.js", dom_js),
    FILE_OF("drawing.js", drawing_js),
    FILE_OF("eventlog.js", eventlog_js),
    FILE_OF("events.js", events_js),
    FILE_OF("fences.js", fences_js),
    FILE_OF("format.js", format_js),
    FILE_OF("geotriggers.js", geotriggers_js),
    FILE_OF("histogram.js", histogram_js),
    FILE_OF("icon.svg", icon_svg),
    FILE_OF("identify.js", identify_js),
    FILE_OF("index.html", index_html),
    FILE_OF("layers.js", layers_js),
    FILE_OF("layertree.js", layertree_js),
    FILE_OF("link.js", link_js),
    FILE_OF("main.js", main_js),
    FILE_OF("map.css", map_css),
    FILE_OF("mapview.js", mapview_js),
    FILE_OF("monitorwatch.js", monitorwatch_js),
    FILE_OF("network.js", network_js),
    FILE_OF("picture.js", picture_js),
    FILE_OF("player.js", player_js),
    FILE_OF("pointlist.js", pointlist_js),
    FILE_OF("rings.js", rings_js),
    FILE_OF("sample.js", sample_js),
    FILE_OF("sampleworker.js", sampleworker_js),
    FILE_OF("series.js", series_js),
    FILE_OF("server.js", server_js),
    FILE_OF("shapes.js", shapes_js),
    FILE_OF("statistics.js", statistics_js),
    FILE_OF("statisticsbutton.js", statisticsbutton_js),
    FILE_OF("symbols.js", symbols_js),
    FILE_OF("tabs.js", tabs_js),
    FILE_OF("terminal.js", terminal_js),
    FILE_OF("token.js", token_js),
    FILE_OF("tools.css", tools_css),
    FILE_OF("trace.js", trace_js),
    FILE_OF("traceresult.js", traceresult_js),
    FILE_OF("track.js", track_js),
    FILE_OF("tracksender.js", tracksender_js),
    FILE_OF("upload.js", upload_js),
    FILE_OF("valuesmap.js", valuesmap_js),
    FILE_OF("walkers.js", walkers_js),
    FILE_OF("zonal.js", zonal_js),
    FILE_OF("zonalresult.js", zonalresult_js),
};

size_t plumb_page_count(void) { return sizeof files / sizeof files[0]; }

plumb_page_entry plumb_page_file(size_t index) { return files[index]; }
