import Foundation
import PlumbGDAL
import PlumbTestSupport
import Testing

#if os(Linux)
  /// The effects of format libraries that print messages or crash. The library built here replaces
  /// GDAL's reading of cells.
  @Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cc"), "no C compiler"))
  struct LibraryFaultTests {
    private let fixture: Fixture

    private static let source = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      typedef int (*reader)(void *, int, int, int, int, int, void *, int, int, int, long long,
                            long long, void *);
      typedef void *(*finder)(void *, const char *);
      static reader next;
      static long long (*cache)(void);
      static const char *(*option)(const char *, const char *);
      static int deep(volatile char *above) {
        volatile char room[4096];
        room[0] = above ? above[0] : 1;
        return deep(room) + room[0];
      }
      static int read_cells(void *band, int mode, int x, int y, int w, int h, void *data, int bw, int bh,
                         int type, long long cell, long long row, void *more) {
        const char *action = getenv("PLUMB_TEST_ACTION");
        if (!action) action = "";
        if (!strcmp(action, "print")) { printf("a library's own words\\n"); fflush(stdout); }
        if (!strcmp(action, "crash")) *(volatile int *)8 = 1;
        if (!strcmp(action, "abort")) abort();
        if (!strcmp(action, "stack")) deep(0);
        if (!strcmp(action, "settings"))
          fprintf(stderr, "cache %lld threads %s\\n", cache() >> 20, option("GDAL_NUM_THREADS", ""));
        return next(band, mode, x, y, w, h, data, bw, bh, type, cell, row, more);
      }
      void *dlsym(void *library, const char *name) {
        static finder find;
        if (!find) find = (finder)dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        void *found = find(library, name);
        if (!found || strcmp(name, "GDALRasterIOEx")) return found;
        next = (reader)found;
        cache = (long long (*)(void))find(library, "GDALGetCacheMax64");
        option = (const char *(*)(const char *, const char *))find(library, "CPLGetConfigOption");
        return (void *)read_cells;
      }
      """

    init() throws {
      fixture = try Fixture()
      try fixture.folder.write("stand_in.c", Self.source)
      let made = try ProgramRun(
        "/usr/bin/cc", ["-w", "-shared", "-fPIC", "-o", "stand_in.so", "stand_in.c", "-ldl"],
        folder: fixture.folder.path)
      try #require(made.status == 0, "\(made)")
      var writer = try RasterWriter(
        path: fixture.path("r.img"), width: 4, height: 4, pixelType: .int16, driver: "HFA")
      try writer.setGeotransform([0, 1, 0, 0, 0, -1])
      try writer.write((0..<16).map { Int16($0) })
      try writer.close()
      try fixture.folder.write("p.csv", "x,y\n1.5,-0.5\n")
    }

    private func run(_ action: String, _ settings: String, _ words: String) throws -> ProgramRun {
      try shell(
        "\(settings) PLUMB_TEST_ACTION=\(action) LD_PRELOAD=\(fixture.path("stand_in.so")) "
          + "\"$PLUMB\" \(words)",
        folder: fixture.folder.path)
    }

    @Test func `text that a library prints is not in the output`() throws {
      let run = try run("print", "", "identify r.img --points p.csv")
      #expect(run.output == "x,y,r\n1.5,-0.5,1\n", "\(run)")
      #expect(run.errors.contains("a library's own words"))
      for target in ["/dev/stdout", "/dev/fd/1"] {
        let other = try self.run("print", "", "identify r.img --points p.csv --of csv -o \(target)")
        #expect(other.output == "x,y,r\n1.5,-0.5,1\n", "\(other)")
      }
      let at = try self.run("print", "", "identify r.img --at 1.5,-0.5")
      #expect(at.output.hasPrefix("1.5, -0.5") && !at.output.contains("words"), "\(at)")
    }

    @Test(arguments: ["crash", "abort", "stack"])
    func `a crash is one line that names the file and the driver`(action: String) throws {
      let names = try fixture.names
      for words in [
        "identify r.img --at 1.5,-0.5", "identify r.img --points p.csv -o out.csv",
        "identify r.img --points p.csv --threads 4 -o out.gpkg",
      ] {
        let run = try run(action, "", words)
        run.expectRefusal("r.img: GDAL's driver HFA crashed")
        #expect(run.output.isEmpty)
        #expect(try fixture.names == names, "\(words)")
      }
    }

    @Test func `the user's GDAL settings are respected`() throws {
      let words = "identify r.img --points p.csv"
      #expect(try run("settings", "", words).errors.contains("cache 64 threads 1"))
      #expect(
        try run("settings", "GDAL_CACHEMAX=123 GDAL_NUM_THREADS=2", words).errors
          .contains("cache 123 threads 2"))
      try fixture.folder.write("gdalrc", "[configoptions]\nGDAL_CACHEMAX=77\n")
      #expect(
        try run("settings", "GDAL_CONFIG_FILE=gdalrc", words).errors.contains("cache 77 threads 1"))
    }
  }
#endif
