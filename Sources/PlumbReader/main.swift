import PlumbGDAL

HelperService.run()
